import { createTool, run, runStream } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ChatAnswer, ChatStep } from "../../../test/fakes/openai-chat.ts";
import { createOpenAIProvider } from "../src/index.ts";
import { type AnyAgent, configOf, errorOf, fakeChat, providerOf, says } from "./support/setup.ts";

/** The rows of the table in docs/models.md, through the engine, by the answer in one piece and by the streamed one. */
const WAYS = ["whole", "streamed"] as const;
type Way = (typeof WAYS)[number];

const raw = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ChatAnswer => ({
  kind: "raw",
  status,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const error = (
  type: string,
  code: string | null = null,
  message = "The key sk-secret and «what was said»",
) => ({
  error: { message, type, param: null, code },
});

const stream = (...events: readonly string[]): ChatAnswer => ({
  kind: "raw",
  headers: { "content-type": "text/event-stream" },
  body: events.map((event) => `data: ${event}\n\n`).join(""),
});

const delta = (delta: unknown, finish_reason: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] });

interface Asked {
  readonly agent?: Partial<AnyAgent>;
  readonly way?: Way;
  readonly maxAttempts?: number;
}

async function ask(steps: readonly ChatStep[], { agent = {}, way = "whole", maxAttempts = 2 }: Asked = {}) {
  const fake = await fakeChat(steps);
  const modelRetry = { maxAttempts, baseDelayMs: 0 };
  const { config, events } = configOf(providerOf(fake), agent, { modelRetry });
  const state = says("«what was said»");
  const result =
    way === "whole"
      ? await run<unknown, unknown>(state, config)
      : await runStream<unknown, unknown>(state, config).result;
  const text = JSON.stringify([result.outcome, events.filter(({ type }) => type !== "run_start")]);
  return { fake, events, result, error: () => errorOf(result), attempts: fake.requests.length, text };
}

describe.each(WAYS)("asked for an answer that is %s, an endpoint that", (way) => {
  it.each([500, 502, 503, 529, 408])(
    "answers %d is asked again, and then that is the error",
    async (status) => {
      const { error: thrown, attempts } = await ask([raw(status, error("server_error"))], { way });
      expect(attempts).toBe(2);
      expect(thrown()).toMatchObject({ _tag: "ModelCallError", status, retryable: true, attempts: 2 });
    },
  );

  it.each([400, 401, 403, 404, 422])("answers %d isn't", async (status) => {
    const {
      error: thrown,
      attempts,
      text,
    } = await ask([raw(status, error("invalid_request_error", "bad"))], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      status,
      retryable: false,
      cause: { name: "OpenAIError", message: `openai answered ${status} (bad)`, code: "bad" },
    });
    expect(text).not.toMatch(/sk-|«/);
  });

  it("answers 429 is asked again as soon as it says", async () => {
    const began = performance.now();
    const busy = raw(429, error("requests", "rate_limit_exceeded"), { "retry-after": "0.2" });
    const { result } = await ask([busy, "Hello."], { way });
    expect(result.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(performance.now() - began).toBeGreaterThan(190);
  });

  it("answers 429 for want of credit isn't asked again", async () => {
    const broke = raw(429, error("insufficient_quota", "insufficient_quota"));
    const { error: thrown, attempts } = await ask([broke], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", status: 429, retryable: false });
  });

  it.each([
    ["an empty body", ""],
    ["half a JSON", '{"choices": [{"mess'],
    ["JSON that is no completion", '{"object": "list"}'],
    ["no JSON at all", "upstream timed out"],
  ])("answers 200 and %s is asked again", async (_, body) => {
    const { error: thrown, attempts } = await ask([raw(200, body)], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable: true,
      cause: { name: "OpenAIError" },
    });
  });

  it("answers 200 and a page of HTML is asked again", async () => {
    const page = raw(200, "<html><body>Bad gateway</body></html>", { "content-type": "text/html" });
    const { error: thrown, attempts } = await ask([page], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", retryable: true });
  });

  it.each([
    ["that passes", { code: 502, message: "upstream" }, 2, { status: 502, retryable: true }],
    ["of the request", { code: 400, message: "bad" }, 1, { status: 400, retryable: false }],
    ["without a code", { type: "server_error", message: "?" }, 2, { retryable: true }],
    ["that filters", { code: "content_filter", message: "?" }, 1, { retryable: false }],
    ["that is a text", "model runner has stopped", 2, { retryable: true }],
  ])(
    "answers 200 and an error %s says by it whether it is asked again",
    async (_, given, calls, expected) => {
      const { error: thrown, attempts } = await ask([raw(200, { error: given })], { way });
      expect(attempts).toBe(calls);
      expect(thrown()).toMatchObject({ _tag: "ModelCallError", ...expected });
    },
  );

  it("breaks the connection is asked again", async () => {
    const cut: ChatAnswer = {
      kind: "raw",
      headers: { "content-length": "999" },
      body: '{"choices"',
      cutAt: 5,
    };
    const { error: thrown, attempts } = await ask([cut], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", retryable: true });
  });

  it("says nothing is asked again when the time is up", async () => {
    const agent = { modelConfig: { timeoutMs: 100 } };
    const { error: thrown, attempts, fake } = await ask([{ kind: "hang" }], { way, agent });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", timeoutMs: 100, retryable: true });
    await expect.poll(fake.open).toBe(0);
  });

  it.each([
    ["no choice", { choices: [] }],
    ["an empty text", { choices: [{ message: { content: "" }, finish_reason: "stop" }] }],
  ])("replies with %s is asked again", async (_, body) => {
    const { error: thrown, attempts } = await ask([raw(200, body)], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toEqual({ _tag: "ModelBehaviorError", detail: "the reply is empty" });
  });

  it("only thinks isn't asked again", async () => {
    const { error: thrown, attempts } = await ask(
      [{ kind: "reply", message: { reasoning_content: "Hm." } }],
      { way },
    );
    expect(attempts).toBe(1);
    expect(thrown()).toEqual({ _tag: "ModelBehaviorError", detail: "it holds reasoning and no answer" });
  });

  it.each(["content_filter", "length"])(
    "stops for its %s before it says anything isn't asked again",
    async (reason) => {
      const { error: thrown, attempts } = await ask(
        [{ kind: "reply", message: { content: "" }, finishReason: reason }],
        { way },
      );
      expect(attempts).toBe(1);
      expect(thrown()).toMatchObject({ _tag: "ModelBehaviorError", detail: expect.stringContaining(reason) });
    },
  );

  it.each(["content_filter", "length"])(
    "stops for its %s later has said so much, and why is told",
    async (reason) => {
      const { result, events } = await ask(
        [{ kind: "reply", message: { content: "So far" }, finishReason: reason }],
        { way },
      );
      expect(result.outcome).toEqual({ status: "completed", output: "So far" });
      expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({
        data: { finishReason: reason },
      });
    },
  );

  it("refuses has said that, and no output of a codec", async () => {
    const refusal: ChatStep = { kind: "reply", message: { refusal: "I can't help with that." } };
    const plain = await ask([refusal], { way });
    expect(plain.result.outcome).toEqual({ status: "completed", output: "I can't help with that." });
    const coded = await ask([refusal], { way, agent: { outputCodec: z.object({ a: z.string() }) } });
    expect(coded.error()).toMatchObject({ _tag: "ModelRefused" });
    expect(coded.attempts).toBe(1);
  });

  it("calls a tool with broken arguments, or none that there is, is told so", async () => {
    const ran: unknown[] = [];
    const tool = createTool({
      name: "add",
      description: "d",
      parameters: z.object({ a: z.number() }),
      execute: async (args) => String(ran.push(args)),
    });
    const named = (id: string, name: string, text: string) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    });
    const calls = [named("call_1", "add", '{"a": 1'), named("call_2", "nothing", "{}")];
    const { result, fake } = await ask([{ kind: "reply", message: { tool_calls: calls } }, "I see."], {
      way,
      agent: { tools: [tool] },
    });
    expect(result.outcome).toEqual({ status: "completed", output: "I see." });
    expect(ran).toEqual([]);
    expect(fake.refusals).toEqual([]);
    const results = fake.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(results.map(({ content }) => JSON.parse(String(content)).error.code)).toEqual([
      "INVALID_INPUT",
      "TOOL_NOT_FOUND",
    ]);
  });
});

describe("a stream that", () => {
  it("reports an error is retracted and asked again", async () => {
    const failing = stream(
      delta({ content: "Half" }),
      JSON.stringify({ error: { message: "overloaded", code: 529 } }),
    );
    const { result, events } = await ask([failing, "Whole."], { way: "streamed" });
    expect(result.outcome).toEqual({ status: "completed", output: "Whole." });
    expect(events.find(({ type }) => type === "llm_retry")).toMatchObject({ data: { discardText: true } });
    expect(result.finalState.messages).toHaveLength(2);
  });

  it.each([
    ["reports an error in a choice", [delta({ content: "Half" }, "error")]],
    ["holds an event that is no JSON", [delta({ content: "Half" }), "oops"]],
    ["ends before it is whole", [delta({ content: "Half" })]],
    ["holds nothing", []],
  ])("%s is asked again", async (_, events) => {
    const { error: thrown, attempts } = await ask([stream(...events)], { way: "streamed" });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable: true,
      cause: { name: "OpenAIError" },
    });
  });

  it("falls silent is asked again", async () => {
    const fake = await fakeChat([{ kind: "hang" }, "Hello."]);
    const { config } = configOf(providerOf(fake), {}, { modelIdleTimeoutMs: 100 });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
  });
});

describe("a run", () => {
  it("that is aborted ends the request, and leaves none open", async () => {
    const fake = await fakeChat([{ kind: "hang" }]);
    const controller = new AbortController();
    const { config } = configOf(providerOf(fake), {}, { signal: controller.signal });
    const result = runStream(says("Hi"), config).result;
    await expect.poll(() => fake.requests.length).toBe(1);
    controller.abort(new Error("the user left"));
    expect((await result).outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted" } });
    await expect.poll(fake.open).toBe(0);
  });

  it("asks an endpoint again that nobody listens at", async () => {
    const provider = createOpenAIProvider({ baseURL: "http://127.0.0.1:1/v1", model: "m" });
    const { outcome } = await run(says("Hi"), configOf(provider).config);
    expect(outcome).toMatchObject({ error: { _tag: "ModelCallError", retryable: true, attempts: 2 } });
  });

  it("without the key that the endpoint wants says so", async () => {
    const fake = await fakeChat(["Hello."], { apiKey: "sk-test" });
    const provider = createOpenAIProvider({ baseURL: fake.baseURL, model: "m", provider: "mine" });
    expect(errorOf(await run<unknown, unknown>(says("Hi"), configOf(provider).config))).toMatchObject({
      status: 401,
      cause: { message: "mine answered 401 (invalid_api_key); no key was sent: pass apiKey" },
    });
  });

  it("without a model ends at once, and says what to set", async () => {
    const fake = await fakeChat(["Hello."]);
    const { config } = configOf(providerOf(fake, { model: undefined }));
    expect(errorOf(await run<unknown, unknown>(says("Hi"), config))).toMatchObject({
      _tag: "ModelCallError",
      attempts: 1,
      cause: { message: expect.stringContaining("modelConfig.name") },
    });
    expect(fake.requests).toEqual([]);
  });
});
