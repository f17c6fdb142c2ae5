import { createTool, run, runStream } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  eventText,
  type ResponsesAnswer,
  type ResponsesStep,
} from "../../../../test/fakes/openai-responses-steps.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import { createOpenAIResponsesProvider } from "../../src/index.ts";
import {
  fakeResponses,
  functionCall,
  inputOf,
  message,
  output,
  reasoning,
  refusal,
  responsesOf,
} from "../support/responses.ts";
import { type AnyAgent, configOf, errorOf, says } from "../support/setup.ts";

/** The rows of the table in docs/models.md, through the engine, by the answer in one piece and by the streamed one. */
const WAYS = ["whole", "streamed"] as const;
type Way = (typeof WAYS)[number];

const raw = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ResponsesAnswer => ({
  kind: "raw",
  status,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const error = (type: string, code: string | null = null) => ({
  error: { message: "The key sk-secret and «what was said»", type, param: null, code },
});

const stream = (...events: readonly (JsonObject | string)[]): ResponsesAnswer => ({
  kind: "raw",
  headers: { "content-type": "text/event-stream" },
  body: events
    .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    .join(""),
});

const half: JsonObject = {
  type: "response.output_text.delta",
  output_index: 0,
  item_id: "msg_1",
  delta: "Half",
};

const ended = (status: string, response: JsonObject, ...items: readonly JsonObject[]): ResponsesAnswer => ({
  kind: "reply",
  output: items,
  response: { status, ...response },
});

const stopped = (reason: string, ...items: readonly JsonObject[]) =>
  ended("incomplete", { incomplete_details: { reason } }, ...items);

interface Asked {
  readonly agent?: Partial<AnyAgent>;
  readonly way?: Way;
}

async function ask(steps: readonly ResponsesStep[], { agent = {}, way = "whole" }: Asked = {}) {
  const fake = await fakeResponses(steps);
  const { config, events } = configOf(responsesOf(fake), agent);
  const state = says("«what was said»");
  const result =
    way === "whole"
      ? await run<unknown, unknown>(state, config)
      : await runStream<unknown, unknown>(state, config).result;
  const text = JSON.stringify([result.outcome, events.filter(({ type }) => type !== "run_start")]);
  return { fake, events, result, error: () => errorOf(result), attempts: fake.requests.length, text };
}

describe.each(WAYS)("asked for a response that is %s, a service that", (way) => {
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
    } = await ask([raw(status, error("invalid_request_error", "bad"))], {
      way,
    });
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
    ["half a JSON", '{"output": [{"mess'],
    ["JSON that is no response", '{"object": "list"}'],
    ["no JSON at all", "upstream timed out"],
    ["a response that goes on", '{"status": "in_progress", "output": []}'],
    ["a response that waits", '{"status": "queued", "output": []}'],
  ])("answers 200 and %s is asked again", async (_, body) => {
    const { error: thrown, attempts } = await ask([raw(200, body)], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable: true,
      cause: { name: "OpenAIError", message: expect.stringMatching(/^openai answered with/) },
    });
  });

  it("answers 200 and a page of HTML is asked again", async () => {
    const page = raw(200, "<html><body>Bad gateway</body></html>", { "content-type": "text/html" });
    const { error: thrown, attempts } = await ask([page], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", retryable: true });
  });

  it.each([
    ["server_error", 2, true],
    ["rate_limit_exceeded", 2, true],
    ["vector_store_timeout", 2, true],
    ["invalid_prompt", 1, false],
    ["image_content_policy_violation", 1, false],
    ["empty_image_file", 1, false],
    ["unsupported_image_media_type", 1, false],
    ["context_length_exceeded", 1, false],
  ])("says that the response has failed by %s is asked %d times", async (code, calls, retryable) => {
    const failed = ended("failed", { error: { code, message: "The key sk-secret and «what was said»" } });
    const { error: thrown, attempts, text } = await ask([failed], { way });
    expect(attempts).toBe(calls);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable,
      cause: { name: "OpenAIError", message: `openai reported an error (${code})`, code },
    });
    expect(text).not.toMatch(/sk-|«/);
  });

  it("says that the response was cancelled isn't asked again", async () => {
    const { error: thrown, attempts } = await ask([ended("cancelled", {}, message("Half"))], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable: false,
      cause: { code: "cancelled" },
    });
  });

  it("breaks the connection is asked again", async () => {
    const cut: ResponsesAnswer = {
      kind: "raw",
      headers: { "content-length": "999" },
      body: '{"output"',
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
    ["no item", output()],
    ["a message without content", output(message("", { content: [] }))],
    ["an empty text", output(message(""))],
  ])("replies with %s is asked again", async (_, step) => {
    const { error: thrown, attempts } = await ask([step], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toEqual({ _tag: "ModelBehaviorError", detail: "the reply is empty" });
  });

  it("only thinks isn't asked again", async () => {
    const { error: thrown, attempts } = await ask([output(reasoning("rs_1", ["Hm."]))], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toEqual({ _tag: "ModelBehaviorError", detail: "it holds reasoning and no answer" });
  });

  it.each(["content_filter", "max_output_tokens"])(
    "stops for %s before it says anything isn't asked again",
    async (reason) => {
      const { error: thrown, attempts } = await ask([stopped(reason, reasoning("rs_1", []))], { way });
      expect(attempts).toBe(1);
      expect(thrown()).toMatchObject({ _tag: "ModelBehaviorError", detail: expect.stringContaining(reason) });
    },
  );

  it.each(["content_filter", "max_output_tokens"])(
    "stops for %s later has said so much, and why is told",
    async (reason) => {
      const step = stopped(reason, message("So far", { status: "incomplete" }));
      const { result, events } = await ask([step], { way });
      expect(result.outcome).toEqual({ status: "completed", output: "So far" });
      expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({
        data: { finishReason: reason },
      });
    },
  );

  it("refuses has said that, and no output of a codec", async () => {
    const refuses = output(refusal("I can't help with that."));
    const plain = await ask([refuses], { way });
    expect(plain.result.outcome).toEqual({ status: "completed", output: "I can't help with that." });
    const coded = await ask([refuses], { way, agent: { outputCodec: z.object({ a: z.string() }) } });
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
    const calls = [functionCall("call_1", "add", '{"a": 1'), functionCall("call_2", "nothing", "{}")];
    const { result, fake } = await ask([output(...calls), "I see."], { way, agent: { tools: [tool] } });
    expect(result.outcome).toEqual({ status: "completed", output: "I see." });
    expect(ran).toEqual([]);
    expect(fake.refusals).toEqual([]);
    const results = inputOf(fake, 1).filter(({ type }) => type === "function_call_output");
    expect(results.map((item) => JSON.parse(String(item["output"])).error.code)).toEqual([
      "INVALID_INPUT",
      "TOOL_NOT_FOUND",
    ]);
  });
});

describe("a stream that", () => {
  it.each<[string, JsonObject]>([
    ["reports an error", { type: "error", code: "server_error", message: "«what was said»", param: null }],
    ["reports an error as an object", { type: "error", error: { type: "server_error", message: "?" } }],
    ["holds an error without a type", { error: { code: 529, message: "overloaded" } }],
    [
      "says that the response has failed",
      { type: "response.failed", response: { error: { code: "server_error", message: "?" } } },
    ],
  ])("%s is retracted and asked again", async (_, event) => {
    const { result, events } = await ask([stream(half, event), "Whole."], { way: "streamed" });
    expect(result.outcome).toEqual({ status: "completed", output: "Whole." });
    expect(events.find(({ type }) => type === "llm_retry")).toMatchObject({ data: { discardText: true } });
    expect(result.finalState.messages).toHaveLength(2);
  });

  it("reports an error of the request isn't asked again", async () => {
    const event = {
      type: "error",
      code: "context_length_exceeded",
      message: "«what was said»",
      param: "input",
    };
    const { error: thrown, attempts, text } = await ask([stream(half, event)], { way: "streamed" });
    expect(attempts).toBe(1);
    expect(thrown()).toMatchObject({ retryable: false, cause: { code: "context_length_exceeded" } });
    expect(text).not.toContain("«");
  });

  it.each<[string, readonly (JsonObject | string)[]]>([
    ["holds an event that is no JSON", [half, "oops"]],
    ["ends before it is whole", [half]],
    ["ends with [DONE] alone", [half, "[DONE]"]],
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

  it("leaves the output out of its last event is whole by its items", async () => {
    const response = { id: "resp_1", status: "completed" };
    const items = [reasoning("rs_1", ["Hm."]), message("Hello.", { id: "msg_1" })];
    const body = eventText(response, items).replace(
      /"output":\[.*\](?=\}\})|"output":\[.*\],?/g,
      '"output":[]',
    );
    const answer = { kind: "raw", headers: { "content-type": "text/event-stream" }, body } as const;
    const { result, events } = await ask([answer], { way: "streamed" });
    expect(result.outcome).toEqual({ status: "completed", output: "Hello." });
    const told = events.map((event) => (event.type === "llm_delta" ? event.data.text : "")).join("");
    expect(told).toBe("Hello.");
  });

  it("tells no piece before its end is told then", async () => {
    const response = { id: "resp_1", status: "completed", output: [message("Hello.", { id: "msg_1" })] };
    const { result, events } = await ask([stream({ type: "response.completed", response })], {
      way: "streamed",
    });
    expect(result.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(events.find(({ type }) => type === "llm_delta")).toMatchObject({ data: { text: "Hello." } });
  });

  it("falls silent is asked again", async () => {
    const fake = await fakeResponses([{ kind: "hang" }, "Hello."]);
    const { config } = configOf(responsesOf(fake), {}, { modelIdleTimeoutMs: 100 });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
  });
});

describe("a run", () => {
  it("that is aborted ends the request, and leaves none open", async () => {
    const fake = await fakeResponses([{ kind: "hang" }]);
    const controller = new AbortController();
    const { config } = configOf(responsesOf(fake), {}, { signal: controller.signal });
    const result = runStream(says("Hi"), config).result;
    await expect.poll(() => fake.requests.length).toBe(1);
    controller.abort(new Error("the user left"));
    expect((await result).outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted" } });
    await expect.poll(fake.open).toBe(0);
  });

  it("asks a service again that nobody listens at", async () => {
    const provider = createOpenAIResponsesProvider({ baseURL: "http://127.0.0.1:1/v1", model: "m" });
    const { outcome } = await run(says("Hi"), configOf(provider).config);
    expect(outcome).toMatchObject({ error: { _tag: "ModelCallError", retryable: true, attempts: 2 } });
  });

  it("without the key that the service wants says so", async () => {
    const fake = await fakeResponses(["Hello."], { apiKey: "sk-test" });
    const provider = createOpenAIResponsesProvider({ baseURL: fake.baseURL, model: "m", provider: "mine" });
    expect(errorOf(await run<unknown, unknown>(says("Hi"), configOf(provider).config))).toMatchObject({
      status: 401,
      cause: { message: "mine answered 401 (invalid_api_key); no key was sent: pass apiKey" },
    });
  });

  it("without a model ends at once, and says what to set", async () => {
    const fake = await fakeResponses(["Hello."]);
    const { config } = configOf(responsesOf(fake, { model: undefined }));
    expect(errorOf(await run<unknown, unknown>(says("Hi"), config))).toMatchObject({
      _tag: "ModelCallError",
      attempts: 1,
      cause: { message: expect.stringContaining("modelConfig.name") },
    });
    expect(fake.requests).toEqual([]);
  });
});
