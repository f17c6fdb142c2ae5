import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  createAgentClient,
  createTool,
  JAFErrorHandler,
  type ModelProvider,
  type ModelStreamChunk,
  type RunConfig,
  run,
  runStream,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { assistant, calling, deferred, errorOf, eventsOfType, says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const never = () => new Promise<never>(() => undefined);

/** Hangs in the first calls, ignoring its signal, and then answers. */
function hanging(calls: number) {
  const signals: (AbortSignal | undefined)[] = [];
  const late = deferred<{ readonly message: { readonly content: string } }>();
  const model: ModelProvider<unknown> = {
    getCompletion: async (_state, _agent, { signal }) => {
      signals.push(signal);
      return signals.length <= calls ? late.promise : { message: { content: "Hello." } };
    },
  };
  return { model, signals, answerLate: () => late.resolve({ message: { content: "too late" } }) };
}

const noLimit = { timeouts: { modelMs: Number.POSITIVE_INFINITY, toolMs: Number.POSITIVE_INFINITY } };

describe("a model call that takes too long", () => {
  it("is aborted and retried, and its late answer is ignored", async () => {
    const { model, signals, answerLate } = hanging(1);
    const { config, events } = setup({ model, config: { timeouts: { modelMs: 20 } } });
    const { outcome, finalState } = await run(says("Hi"), config);
    answerLate();
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(finalState.messages).toEqual([user("Hi"), assistant("Hello.")]);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({ name: "TimeoutError", code: "ETIMEDOUT" });
    expect(eventsOfType(events, "llm_retry")).toMatchObject([
      { attempt: 1, reason: expect.stringContaining("No answer within 20 ms (RunConfig.timeouts.modelMs)") },
    ]);
  });

  it("ends the run with ModelCallError and timeoutMs after the last attempt", async () => {
    const { model, signals } = hanging(9);
    const { config } = setup({
      model,
      config: { timeouts: { modelMs: 5 }, modelRetry: { maxAttempts: 2, baseDelayMs: 0 } },
    });
    const error = errorOf(await run(says("Hi"), config));
    expect(error).toMatchObject({ _tag: "ModelCallError", attempts: 2, retryable: true, timeoutMs: 5 });
    expect(JAFErrorHandler.format(error)).toContain("2 times: No answer within 5 ms");
    expect(signals).toHaveLength(2);
  });

  it("isn't retried if the policy says no", async () => {
    const judged: unknown[] = [];
    const isRetryable = (thrown: unknown) => {
      judged.push(thrown);
      return false;
    };
    const { model, signals } = hanging(9);
    const { config } = setup({ model, config: { timeouts: { modelMs: 5 }, modelRetry: { isRetryable } } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({ attempts: 1, timeoutMs: 5 });
    expect(signals).toHaveLength(1);
    expect(judged).toMatchObject([{ name: "TimeoutError", timeoutMs: 5 }]);
  });

  it("uses the agent's own limit first", async () => {
    const { model } = hanging(1);
    const agent = { modelConfig: { timeoutMs: 5 } };
    const { config, events } = setup({ model, agent, config: noLimit });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(eventsOfType(events, "llm_retry")[0]?.reason).toContain("Agent.modelConfig.timeoutMs");
  });

  it("has no limit with Infinity", async () => {
    const { model, answerLate } = hanging(1);
    const { config } = setup({ model, config: noLimit });
    const running = run(says("Hi"), config);
    setTimeout(answerLate, 30);
    expect((await running).outcome).toMatchObject({ output: "too late" });
  });

  it("has a limit of ten minutes by default, and leaves no timer behind", async () => {
    vi.useFakeTimers();
    try {
      const [set, clear] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
      const { model, signals } = hanging(1);
      const { config } = setup({ model });
      const running = run(says("Hi"), config);
      await vi.advanceTimersByTimeAsync(599_999);
      expect(signals[0]?.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(2);
      expect((await running).outcome.status).toBe("completed");
      // Earlier test files of this process can have timers of their own. The run's timer is one of minutes.
      const limits = set.mock.results.filter((_, nth) => (set.mock.calls[nth]?.[1] ?? 0) > 500_000);
      expect(clear.mock.calls.map(([timer]) => timer)).toContain(limits.at(-1)?.value);
    } finally {
      vi.restoreAllMocks();
      vi.useRealTimers();
    }
  });

  it("also limits a middleware's own request", async () => {
    const failed: unknown[] = [];
    const { model } = hanging(1);
    const { config } = setup({
      model,
      config: {
        timeouts: { modelMs: 5 },
        middleware: [
          {
            name: "asks",
            onStart: async ({ complete }) => {
              await complete({ instructions: "", messages: [] }).catch((thrown) => failed.push(thrown));
              return undefined;
            },
          },
        ],
      },
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(failed).toMatchObject([{ name: "TimeoutError" }]);
  });
});

describe("a streamed model call", () => {
  /** Sends each piece after the delay. */
  const streaming = (...attempts: readonly (readonly (readonly [ms: number, ModelStreamChunk])[])[]) => {
    let calls = 0;
    const model: ModelProvider<unknown> = {
      getCompletion: never,
      getCompletionStream: async function* () {
        for (const [ms, chunk] of attempts[calls++] ?? []) {
          await (ms === Number.POSITIVE_INFINITY
            ? never()
            : new Promise((resolve) => setTimeout(resolve, ms)));
          yield chunk;
        }
      },
    };
    return model;
  };
  const text = (piece: string): ModelStreamChunk => ({ type: "text_delta", text: piece });
  const done: ModelStreamChunk = { type: "done" };

  it("is retried and its text discarded if it pauses too long between two pieces", async () => {
    const model = streaming(
      [
        [0, text("Hal")],
        [Number.POSITIVE_INFINITY, done],
      ],
      [
        [0, text("Hello.")],
        [0, done],
      ],
    );
    const { config, events } = setup({ model, config: { timeouts: { modelIdleMs: 30 } } });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(eventsOfType(events, "llm_retry")).toMatchObject([
      { discardText: true, reason: expect.stringContaining("RunConfig.timeouts.modelIdleMs") },
    ]);
  });

  it("is given up if it sends nothing", async () => {
    const model = streaming([[Number.POSITIVE_INFINITY, done]]);
    const { config } = setup({
      model,
      config: { timeouts: { modelIdleMs: 5 }, modelRetry: { maxAttempts: 1 } },
    });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toMatchObject({ error: { _tag: "ModelCallError", timeoutMs: 5 } });
  });

  it("can take longer in total than the idle limit", async () => {
    const pieces = Array.from({ length: 6 }, () => [20, text("x")] as const);
    const { config } = setup({
      model: streaming([...pieces, [0, done]]),
      config: { timeouts: { modelIdleMs: 100 } },
    });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toMatchObject({ status: "completed", output: "xxxxxx" });
  });

  it("must not take longer in total than the limit of a call", async () => {
    const pieces = Array.from({ length: 200 }, () => [5, text("x")] as const);
    const { config } = setup({
      model: streaming(pieces),
      config: { timeouts: { modelMs: 40 }, modelRetry: { maxAttempts: 1 } },
    });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toMatchObject({ error: { _tag: "ModelCallError", timeoutMs: 40 } });
  });
});

describe("a tool that takes too long", () => {
  function slow(timeoutMs?: number) {
    const late = deferred<string>();
    const signals: (AbortSignal | undefined)[] = [];
    const tool = createTool({
      name: "slow",
      description: "Ignores its signal",
      parameters: z.object({}),
      execute: (_args, _context, call) => {
        signals.push(call?.signal);
        return late.promise;
      },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return { tool, signals, late };
  }
  const calls = { toolCalls: [{ name: "slow", id: "s" }] };
  const timedOut = (ms: number) =>
    JSON.stringify({
      status: "error",
      error: {
        code: "TIMEOUT",
        message: `The tool took longer than ${ms} ms and was given up. It may have finished its work all the same.`,
      },
    });

  it.each([
    ["the run's limit", undefined, { timeouts: { toolMs: 5 } }],
    ["its own limit", 5, { timeouts: { toolMs: 60_000 } }],
  ] as const)(
    "is an error result for the model, by %s, and its signal is aborted",
    async (_whose, own, limits) => {
      const { tool, signals } = slow(own);
      const { config, events } = setup({ model: [calls, "Sorry."], tools: [tool], config: limits });
      const { outcome, finalState } = await run(says("Hi"), config);
      expect(outcome).toEqual({ status: "completed", output: "Sorry." });
      expect(finalState.messages[2]?.content).toBe(timedOut(5));
      expect(signals[0]?.reason).toMatchObject({ name: "TimeoutError" });
      expect(eventsOfType(events, "tool_call_end")).toMatchObject([{ status: "error", result: timedOut(5) }]);
    },
  );

  it("ends the run like a tool that throws", async () => {
    const { tool } = slow(5);
    const { config } = setup({ model: [calls], tools: [tool], config: { onToolError: "fail" } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "ToolCallError",
      tool: "slow",
      detail: expect.stringContaining("longer than 5 ms"),
    });
  });

  it("has one stored result: a late one is ignored, and a resumed run doesn't call it again", async () => {
    const { tool, signals, late } = slow(5);
    const provider = createInMemoryProvider();
    const memory = { provider, autoStore: true, durability: "step" } as const;
    const world = (model: readonly (typeof calls | string | Error)[]) =>
      setup({
        model,
        tools: [tool],
        config: { memory, conversationId: "c", modelRetry: { maxAttempts: 1 } },
      });
    const crashed = await run(says("Hi"), world([calls, new Error("down")]).config);
    expect(crashed.outcome.status).toBe("error");
    late.resolve("late");
    await new Promise((resolve) => setImmediate(resolve));
    expect((await run(says(), world(["Sorry."]).config)).outcome).toMatchObject({ output: "Sorry." });
    expect(signals).toHaveLength(1);
    expect(await storedMessages(provider)).toEqual([
      user("Hi"),
      calling(["s", "slow"]),
      { role: "tool", content: timedOut(5), tool_call_id: "s" },
      assistant("Sorry."),
    ]);
  });

  it("doesn't delay the other tools of its reply or their results", async () => {
    const { tool } = slow(5);
    const quick = createTool({
      name: "quick",
      description: "",
      parameters: z.object({}),
      execute: () => "quick",
    });
    const { config } = setup({
      model: [{ toolCalls: [{ name: "quick", id: "q" }, ...calls.toolCalls] }, "Done."],
      tools: [tool, quick],
    });
    const { finalState } = await run(says("Hi"), config);
    expect(finalState.messages.slice(2, 4).map(({ content }) => content)).toEqual(["quick", timedOut(5)]);
  });

  it("is aborted with the run before its limit", async () => {
    const { signal, abort } = abortable();
    const { tool, signals } = slow(60_000);
    const { config } = setup({ model: [calls], tools: [tool], config: { signal } });
    const running = run(says("Hi"), config);
    await expect.poll(() => signals.length).toBe(1);
    abort();
    expect(errorOf(await running)).toEqual(aborted);
    expect(signals[0]?.reason).toBe(signal.reason);
  });

  it("keeps a result in time even if the signal was aborted before", async () => {
    const tool = createTool({
      name: "slow",
      description: "Answers when it is told to stop",
      parameters: z.object({}),
      timeoutMs: 5,
      execute: (_args, _context, call) =>
        new Promise<string>((resolve) => call?.signal.addEventListener("abort", () => resolve("stopped"))),
    });
    const { config } = setup({ model: [calls, "Sorry."], tools: [tool] });
    expect((await run(says("Hi"), config)).finalState.messages[2]?.content).toBe(timedOut(5));
  });
});

describe("an invalid time limit", () => {
  const wrong = [0, -1, 1.5, Number.NaN, "5", null];
  const fields = ["modelMs", "modelIdleMs", "toolMs"] as const;
  const modelProvider = createScriptedModel([]);

  it.each(fields.flatMap((field) => wrong.map((value) => [field, value] as const)))(
    "is refused before the model is called: %s = %s",
    async (field, value) => {
      const limits = { timeouts: { [field]: value } } as Partial<RunConfig<unknown>>;
      const { config } = setup({ model: modelProvider, config: limits });
      expect(errorOf(await run(says("Hi"), config))).toEqual({
        _tag: "InternalError",
        detail: `Invalid RunConfig: timeouts.${field}: expected a whole number of milliseconds from 1, or Infinity.`,
      });
      const agent = { name: "helper", instructions: () => "" };
      expect(() => createAgentClient(agent, { modelProvider, context: {}, ...limits })).toThrow(
        `timeouts.${field}`,
      );
    },
  );

  it.each(["5", 5, null])("is refused before the model is called: timeouts = %s", async (value) => {
    const limits = { timeouts: value } as unknown as Partial<RunConfig<unknown>>;
    const { config } = setup({ model: modelProvider, config: limits });
    expect(errorOf(await run(says("Hi"), config))).toEqual({
      _tag: "InternalError",
      detail: "Invalid RunConfig: timeouts: expected an object.",
    });
    const agent = { name: "helper", instructions: () => "" };
    expect(() => createAgentClient(agent, { modelProvider, context: {}, ...limits })).toThrow("timeouts");
  });

  it.each(wrong)("is refused of an agent and of a tool: %s", async (value) => {
    const timeoutMs = value as number;
    const agent = setup({ model: modelProvider, agent: { modelConfig: { timeoutMs } } });
    expect(errorOf(await run(says("Hi"), agent.config))).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringContaining('agent "helper": modelConfig.timeoutMs: expected a whole number'),
    });
    const parameters = z.object({});
    const tool = createTool({ name: "odd", description: "", parameters, execute: () => "", timeoutMs });
    const tools = setup({ model: modelProvider, tools: [tool] });
    expect(errorOf(await run(says("Hi"), tools.config))).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringContaining('timeoutMs of its tool "odd"'),
    });
  });

  it.each([1, 2 ** 40, Number.POSITIVE_INFINITY])("isn't %s", async (limit) => {
    const limits = { timeouts: { modelMs: limit, modelIdleMs: limit, toolMs: limit } };
    const { config } = setup({
      model: { getCompletion: async () => ({ message: { content: "Hi." } }) },
      config: limits,
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
  });
});
