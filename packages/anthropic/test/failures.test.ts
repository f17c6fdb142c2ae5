import { createTool, run, runStream } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { MessagesAnswer, MessagesStep } from "../../../test/fakes/anthropic-answers.ts";
import type { JsonObject } from "../../../test/fakes/service.ts";
import { createAnthropicProvider } from "../src/index.ts";
import { type AnyAgent, configOf, errorOf, fakeMessages, providerOf, says } from "./support/setup.ts";

/** The rows of the table in docs/models.md, through the engine, by the answer in one piece and by the streamed one. */
const WAYS = ["whole", "streamed"] as const;
type Way = (typeof WAYS)[number];

const raw = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): MessagesAnswer => ({
  kind: "raw",
  status,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const error = (type: string) => ({
  type: "error",
  error: { type, message: "The key sk-secret and «what was said»" },
  request_id: "req_1",
});

const stream = (...events: readonly unknown[]): MessagesAnswer => ({
  kind: "raw",
  headers: { "content-type": "text/event-stream" },
  body: events
    .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    .join(""),
});

const START = {
  type: "message_start",
  message: { id: "msg_1", role: "assistant", usage: { input_tokens: 1 } },
};
const HALF = [
  START,
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } },
];

const message = (content: readonly JsonObject[], fields: JsonObject = {}): MessagesStep => ({
  kind: "message",
  content,
  fields,
});

interface Asked {
  readonly agent?: Partial<AnyAgent>;
  readonly way?: Way;
}

async function ask(steps: readonly MessagesStep[], { agent = {}, way = "whole" }: Asked = {}) {
  const fake = await fakeMessages(steps);
  const { config, events } = configOf(providerOf(fake), agent);
  const state = says("«what was said»");
  const result =
    way === "whole"
      ? await run<unknown, unknown>(state, config)
      : await runStream<unknown, unknown>(state, config).result;
  const text = JSON.stringify([result.outcome, events.filter(({ type }) => type !== "run_start")]);
  return { fake, events, result, error: () => errorOf(result), attempts: fake.requests.length, text };
}

describe.each(WAYS)("asked for an answer that is %s, a service that", (way) => {
  it.each([500, 502, 503, 529, 408])(
    "answers %d is asked again, and then that is the error",
    async (status) => {
      const { error: thrown, attempts } = await ask([raw(status, error("overloaded_error"))], { way });
      expect(attempts).toBe(2);
      expect(thrown()).toMatchObject({ _tag: "ModelCallError", status, retryable: true, attempts: 2 });
    },
  );

  it.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [413, "request_too_large"],
  ])("answers %d isn't", async (status, type) => {
    const asked = await ask([raw(status, error(type))], { way });
    expect(asked.attempts).toBe(1);
    expect(asked.error()).toMatchObject({
      _tag: "ModelCallError",
      status,
      retryable: false,
      cause: { name: "AnthropicError", message: `anthropic answered ${status} (${type})` },
    });
    expect(asked.text).not.toMatch(/sk-|«/);
  });

  it("answers 429 is asked again as soon as it says", async () => {
    const began = performance.now();
    const busy = raw(429, error("rate_limit_error"), { "retry-after": "0.2" });
    const { result } = await ask([busy, "Hello."], { way });
    expect(result.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(performance.now() - began).toBeGreaterThan(190);
  });

  it.each([
    ["an empty body", ""],
    ["half a JSON", '{"type": "message", "content": [{"ty'],
    ["JSON that is no message", '{"type": "list"}'],
    ["a block of no type", '{"type": "message", "content": [{"text": "Hi"}]}'],
    ["no JSON at all", "upstream timed out"],
  ])("answers 200 and %s is asked again", async (_, body) => {
    const { error: thrown, attempts } = await ask([raw(200, body)], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable: true,
      cause: { name: "AnthropicError", message: expect.stringMatching(/^anthropic answered with /) },
    });
  });

  it("answers 200 and a page of HTML is asked again", async () => {
    const page = raw(200, "<html><body>Bad gateway</body></html>", { "content-type": "text/html" });
    const { error: thrown, attempts } = await ask([page], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", retryable: true });
  });

  it.each([
    ["overloaded_error", 2, true],
    ["api_error", 2, true],
    ["rate_limit_error", 2, true],
    ["invalid_request_error", 1, false],
    ["billing_error", 1, false],
  ])("answers 200 and %s says by it whether it is asked again", async (type, calls, retryable) => {
    const { error: thrown, attempts } = await ask([raw(200, error(type))], { way });
    expect(attempts).toBe(calls);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", retryable });
  });

  it("breaks the connection is asked again", async () => {
    const cut: MessagesAnswer = {
      kind: "raw",
      headers: { "content-length": "999" },
      body: '{"content"',
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
    ["no block", []],
    ["an empty text", [{ type: "text", text: "" }]],
  ])("replies with %s is asked again", async (_, content) => {
    const { error: thrown, attempts } = await ask([message(content)], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toEqual({ _tag: "ModelBehaviorError", detail: "the reply is empty" });
  });

  it("only thinks isn't asked again", async () => {
    const thought = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const { error: thrown, attempts } = await ask([message([thought])], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toEqual({ _tag: "ModelBehaviorError", detail: "it holds reasoning and no answer" });
  });

  it.each(["max_tokens", "model_context_window_exceeded"])(
    "stops for %s before it says anything isn't asked again",
    async (stop_reason) => {
      const { error: thrown, attempts } = await ask([message([], { stop_reason })], { way });
      expect(attempts).toBe(1);
      expect(thrown()).toMatchObject({
        _tag: "ModelBehaviorError",
        detail: expect.stringContaining(stop_reason),
      });
    },
  );

  it.each(["max_tokens", "model_context_window_exceeded", "stop_sequence"])(
    "stops for %s later has said so much, and why is told",
    async (stop_reason) => {
      const step = message([{ type: "text", text: "So far" }], { stop_reason, stop_sequence: "." });
      const { result, events } = await ask([step], { way });
      expect(result.outcome).toEqual({ status: "completed", output: "So far" });
      expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({
        data: { finishReason: stop_reason },
      });
    },
  );

  it("refuses has said that, and no output of a codec, and calls nothing", async () => {
    const ran: unknown[] = [];
    const tool = createTool({
      name: "add",
      description: "d",
      parameters: z.object({}),
      execute: async (args) => String(ran.push(args)),
    });
    const content = [
      { type: "text", text: "Hello.." },
      { type: "tool_use", id: "toolu_1", name: "add", input: {} },
    ];
    const stop_details = { type: "refusal", category: "cyber", explanation: "This could do harm." };
    const refusal = message(content, { stop_reason: "refusal", stop_details });
    const plain = await ask([refusal], { way, agent: { tools: [tool] } });
    expect(plain.result.outcome).toEqual({ status: "completed", output: "This could do harm." });
    expect(ran).toEqual([]);
    expect(plain.result.finalState.messages.at(-1)).toMatchObject({
      content: [
        { type: "refusal", refusal: "This could do harm.", providerMetadata: { anthropic: { content } } },
      ],
      providerMetadata: { anthropic: { stop_details } },
    });
    const coded = await ask([refusal], { way, agent: { outputCodec: z.object({ a: z.string() }) } });
    expect(coded.error()).toMatchObject({ _tag: "ModelRefused" });
    expect(coded.attempts).toBe(1);
  });

  it("refuses without a word has declined", async () => {
    const { result } = await ask([message([], { stop_reason: "refusal" })], { way });
    expect(result.outcome).toEqual({ status: "completed", output: "The model declined to answer." });
  });

  it("calls a tool with wrong arguments, or none that there is, is told so", async () => {
    const tool = createTool({
      name: "add",
      description: "d",
      parameters: z.object({ a: z.number() }),
      execute: async () => "ran",
    });
    const calls = [
      { type: "tool_use", id: "toolu_1", name: "add", input: { a: "1" } },
      { type: "tool_use", id: "toolu_2", name: "nothing", input: {} },
    ];
    const { result, fake } = await ask([message(calls), "I see."], { way, agent: { tools: [tool] } });
    expect(result.outcome).toEqual({ status: "completed", output: "I see." });
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[1]?.body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: calls },
      {
        role: "user",
        content: [
          { tool_use_id: "toolu_1", is_error: true, content: expect.stringContaining("INVALID_INPUT") },
          { tool_use_id: "toolu_2", is_error: true, content: expect.stringContaining("TOOL_NOT_FOUND") },
        ],
      },
    ]);
  });
});

describe("a stream that", () => {
  it.each(["overloaded_error", "api_error"])("reports %s is retracted and asked again", async (type) => {
    const failing = stream(...HALF, error(type));
    const { result, events } = await ask([failing, "Whole."], { way: "streamed" });
    expect(result.outcome).toEqual({ status: "completed", output: "Whole." });
    expect(events.find((event) => event.type === "llm_retry")).toMatchObject({
      data: { discardText: true },
    });
    expect(result.finalState.messages).toHaveLength(2);
  });

  it.each<[string, readonly unknown[]]>([
    ["reports an error of no kind", [...HALF, { type: "error" }]],
    ["holds an event that is no JSON", [...HALF, "oops"]],
    ["holds a piece of no block", [START, { type: "content_block_delta", index: 3, delta: {} }]],
    ["holds the end of no block", [START, { type: "content_block_stop", index: 3 }]],
    ["holds a block of no type", [START, { type: "content_block_start", index: 0 }]],
    ["ends before it is whole", HALF],
    [
      "ends when it says why it stops",
      [...HALF, { type: "message_delta", delta: { stop_reason: "end_turn" } }],
    ],
    ["holds nothing", []],
  ])("%s is asked again", async (_, events) => {
    const { error: thrown, attempts } = await ask([stream(...events)], { way: "streamed" });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable: true,
      cause: { name: "AnthropicError" },
    });
  });

  it("breaks off in a call's arguments calls nothing, and the model is told", async () => {
    const cutCall = stream(
      START,
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "add", input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"a": 1' } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    );
    const ran: unknown[] = [];
    const tool = createTool({
      name: "add",
      description: "d",
      parameters: z.object({ a: z.number() }),
      execute: async (args) => String(ran.push(args)),
    });
    const { result, fake } = await ask([cutCall, "I see."], { way: "streamed", agent: { tools: [tool] } });
    expect(result.outcome).toEqual({ status: "completed", output: "I see." });
    expect(ran).toEqual([]);
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[1]?.body["messages"]).toMatchObject([
      {},
      { content: [{ type: "tool_use", input: { input: '{"a": 1' } }] },
      { content: [{ type: "tool_result", is_error: true }] },
    ]);
  });

  it("falls silent is asked again", async () => {
    const fake = await fakeMessages([{ kind: "hang" }, "Hello."]);
    const { config } = configOf(providerOf(fake), {}, { modelIdleTimeoutMs: 100 });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
  });
});

describe("a run", () => {
  it("that is aborted ends the request, and leaves none open", async () => {
    const fake = await fakeMessages([{ kind: "hang" }]);
    const controller = new AbortController();
    const { config } = configOf(providerOf(fake), {}, { signal: controller.signal });
    const result = runStream(says("Hi"), config).result;
    await expect.poll(() => fake.requests.length).toBe(1);
    controller.abort(new Error("the user left"));
    expect((await result).outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted" } });
    await expect.poll(fake.open).toBe(0);
  });

  it("asks a service again that nobody listens at", async () => {
    const provider = createAnthropicProvider({ baseURL: "http://127.0.0.1:1", model: "m" });
    const { outcome } = await run(says("Hi"), configOf(provider).config);
    expect(outcome).toMatchObject({ error: { _tag: "ModelCallError", retryable: true, attempts: 2 } });
  });

  it("without the key that the service wants says so", async () => {
    const fake = await fakeMessages(["Hello."], { apiKey: "sk-test" });
    const provider = createAnthropicProvider({ baseURL: fake.baseURL, model: "m", provider: "mine" });
    expect(errorOf(await run<unknown, unknown>(says("Hi"), configOf(provider).config))).toMatchObject({
      status: 401,
      cause: { message: "mine answered 401 (authentication_error); no key was sent: pass apiKey" },
    });
  });

  it("without a model ends at once, and says what to set", async () => {
    const fake = await fakeMessages(["Hello."]);
    const { config } = configOf(providerOf(fake, { model: undefined }));
    expect(errorOf(await run<unknown, unknown>(says("Hi"), config))).toMatchObject({
      _tag: "ModelCallError",
      attempts: 1,
      cause: { message: expect.stringContaining("modelConfig.name") },
    });
    expect(fake.requests).toEqual([]);
  });
});
