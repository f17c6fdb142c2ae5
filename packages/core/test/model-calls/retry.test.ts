import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { run } from "../../src/index.ts";
import { sleep } from "../../src/limits/abort.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { abortable } from "../support/abort.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

const busy = (status: number, headers?: Readonly<Record<string, string>>) =>
  Object.assign(new Error(`status ${status}`), { status, headers });

describe("a model call that fails", () => {
  it("is retried, by default twice, and then ends the run with ModelCallError", async () => {
    const model = createScriptedModel([busy(500), busy(503), busy(429)]);
    const { config, events } = setup({ model });
    expect(errorOf(await run(says("Hi"), config))).toEqual({
      _tag: "ModelCallError",
      attempts: 3,
      retryable: true,
      status: 429,
      cause: { name: "Error", message: "status 429" },
    });
    expect(eventsOfType(events, "llm_retry").map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(eventsOfType(events, "llm_call_end")).toMatchObject([{ status: "error", attempts: 3 }]);
    model.assertDone();
  });

  it("leaves no trace in the conversation when a later attempt succeeds", async () => {
    const { config } = setup({ model: [busy(500), "Hello."] });
    const { outcome, finalState } = await run(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(finalState.messages).toHaveLength(2);
    expect(finalState.turnCount).toBe(1);
  });

  it.each([400, 401, 403, 404, 422])("isn't made again on status %d", async (status) => {
    const model = createScriptedModel([busy(status)]);
    const { config } = setup({ model });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "ModelCallError",
      attempts: 1,
      retryable: false,
      status,
    });
  });

  it("isn't retried after a bug in the program", async () => {
    const { config } = setup({ model: [new TypeError("undefined is not a function")] });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({ attempts: 1, retryable: false });
  });

  it("is caught if the provider throws synchronously, or throws something other than an Error", async () => {
    const getCompletion = () => {
      throw "nonsense";
    };
    const { config } = setup({ model: { getCompletion } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "ModelCallError",
      cause: { name: "NonError" },
    });
  });

  it("is retried if the policy's isRetryable says so", async () => {
    const { config } = setup({
      model: [busy(400), "Hello."],
      config: { modelRetry: { baseDelayMs: 0, isRetryable: () => true } },
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
  });

  it("isn't retried if isRetryable throws", async () => {
    const isRetryable = () => {
      throw new Error("a bug");
    };
    const { config } = setup({ model: [busy(500)], config: { modelRetry: { isRetryable } } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({ attempts: 1 });
  });

  it("is made once with maxAttempts 1", async () => {
    const model = createScriptedModel([busy(500)]);
    const { config } = setup({ model, config: { modelRetry: { maxAttempts: 1 } } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      attempts: 1,
      retryable: true,
    });
  });
});

describe("the delay before a retry", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  async function delaysOf(failures: readonly Error[], modelRetry: object = {}): Promise<readonly number[]> {
    const { config, events } = setup({ model: [...failures, "Hello."], config: { modelRetry } });
    const running = run(says("Hi"), config);
    await vi.runAllTimersAsync();
    await running;
    return eventsOfType(events, "llm_retry").map(({ delayMs }) => delayMs);
  }

  it("doubles up to maxDelayMs, and is spread evenly below that", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const failures = Array.from({ length: 5 }, () => busy(500));
    const delays = await delaysOf(failures, { maxAttempts: 6, baseDelayMs: 100, maxDelayMs: 500 });
    expect(delays).toEqual([50, 100, 200, 250, 250]);
  });

  it("begins at up to 500 ms by default", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    expect(await delaysOf([busy(500), busy(500)])).toEqual([499.5, 999]);
  });

  it.each([
    ["seconds", { "retry-after": "2" }, 2_000],
    ["milliseconds", { "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
  ])("is the Retry-After delay in %s", async (_what, headers, delay) => {
    expect(await delaysOf([busy(429, headers)])).toEqual([delay]);
  });

  it("ends at the date of Retry-After", async () => {
    vi.setSystemTime("2030-01-01T00:00:00Z");
    expect(await delaysOf([busy(429, { "retry-after": "Tue, 01 Jan 2030 00:00:05 GMT" })])).toEqual([5_000]);
  });

  it("reads the headers of a fetch response", async () => {
    const headers = new Headers({ "Retry-After": "3" });
    const error = Object.assign(new Error("busy"), { response: { status: 429, headers } });
    expect(await delaysOf([error])).toEqual([3_000]);
  });

  it("never overflows a timer, which would fire immediately", async () => {
    vi.useFakeTimers();
    let isOver = false;
    const { signal, abort } = abortable();
    const sleeping = sleep(2 ** 40, signal).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(isOver).toBe(false);
    abort();
    await sleeping;
    vi.useRealTimers();
  });

  it("is skipped if Retry-After asks for more than maxDelayMs, and the error has the delay", async () => {
    const { config } = setup({
      model: [busy(429, { "retry-after": "3600" })],
      config: { modelRetry: {} },
    });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      attempts: 1,
      retryable: true,
      retryAfterMs: 3_600_000,
    });
  });
});
