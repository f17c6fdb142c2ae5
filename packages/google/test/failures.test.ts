import { createTool, run, runStream } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createGoogleProvider } from "../src/index.ts";
import {
  type AnyAgent,
  configOf,
  errorOf,
  gemini,
  MODEL,
  providerOf,
  type Raw,
  type Step,
  says,
} from "./support/setup.ts";

/** The rows of the table in docs/models.md, through the engine, by the answer in one piece and by the streamed one. */
const WAYS = ["whole", "streamed"] as const;
type Way = (typeof WAYS)[number];

const raw = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Raw => ({
  kind: "raw",
  status,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const error = (code: number, status: string, details: readonly unknown[] = []) => ({
  error: { code, status, message: "The key AIza-test and «what was said»", details },
});

const stream = (...events: readonly string[]): Raw => ({
  kind: "raw",
  headers: { "content-type": "text/event-stream" },
  body: events.map((event) => `data: ${event}\n\n`).join(""),
});

const piece = (text: string, more: object = {}): string =>
  JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] }, ...more }] });

interface Asked {
  readonly agent?: Partial<AnyAgent>;
  readonly way?: Way;
  readonly maxAttempts?: number;
}

async function ask(steps: readonly Step[], { agent = {}, way = "whole", maxAttempts = 2 }: Asked = {}) {
  const server = await gemini(steps);
  const modelRetry = { maxAttempts, baseDelayMs: 0 };
  const { config, events } = configOf(providerOf(server), agent, { modelRetry });
  const state = says("«what was said»");
  const result =
    way === "whole"
      ? await run<unknown, unknown>(state, config)
      : await runStream<unknown, unknown>(state, config).result;
  const text = JSON.stringify([result.outcome, events.filter(({ type }) => type !== "run_start")]);
  return { server, events, result, error: () => errorOf(result), attempts: server.bodies.length, text };
}

describe.each(WAYS)("asked for an answer that is %s, a service that", (way) => {
  it.each([500, 503, 504, 408])("answers %d is asked again, and then that is the error", async (status) => {
    const { error: thrown, attempts } = await ask([raw(status, error(status, "UNAVAILABLE"))], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", status, retryable: true, attempts: 2 });
  });

  it.each([400, 401, 403, 404])("answers %d isn't", async (status) => {
    const answer = raw(status, error(status, "INVALID_ARGUMENT"));
    const { error: thrown, attempts, text } = await ask([answer], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      status,
      retryable: false,
      cause: { name: "GoogleError", message: `google answered ${status} (INVALID_ARGUMENT)` },
    });
    expect(text).not.toMatch(/AIza|«/);
  });

  it("answers 429 is asked again as soon as it says", async () => {
    const began = performance.now();
    const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.2s" };
    const { result } = await ask([raw(429, error(429, "RESOURCE_EXHAUSTED", [retryInfo])), "Hello."], {
      way,
    });
    expect(result.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(performance.now() - began).toBeGreaterThan(190);
  });

  it.each([
    ["an empty body", ""],
    ["half a JSON", '{"candidates": [{"cont'],
    ["JSON that is no response", '{"models": []}'],
    ["a list of nothing", "[]"],
    ["a list of no responses", "[1]"],
    ["no JSON at all", "upstream timed out"],
  ])("answers 200 and %s is asked again", async (_, body) => {
    const { error: thrown, attempts } = await ask([raw(200, body)], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable: true,
      cause: { name: "GoogleError" },
    });
  });

  it("answers 200 and a page of HTML is asked again", async () => {
    const page = raw(200, "<html><body>Bad gateway</body></html>", { "content-type": "text/html" });
    const { error: thrown, attempts } = await ask([page], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", retryable: true });
  });

  it.each([
    ["that passes", error(503, "UNAVAILABLE"), 2, { status: 503, retryable: true }],
    ["of the request", error(400, "INVALID_ARGUMENT"), 1, { status: 400, retryable: false }],
    ["in a list", [error(400, "INVALID_ARGUMENT")], 1, { status: 400, retryable: false }],
  ])("answers 200 and an error %s says by it whether it is asked again", async (_, body, calls, expected) => {
    const { error: thrown, attempts, text } = await ask([raw(200, body)], { way });
    expect(attempts).toBe(calls);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", ...expected });
    expect(text).not.toMatch(/AIza|«/);
  });

  it("breaks the connection is asked again", async () => {
    const cut: Raw = { kind: "raw", headers: { "content-length": "999" }, body: '{"candidates"', cutAt: 5 };
    const { error: thrown, attempts } = await ask([cut], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", retryable: true });
  });

  it("says nothing is asked again when the time is up", async () => {
    const agent = { modelConfig: { timeoutMs: 100 } };
    const { error: thrown, attempts, server } = await ask([{ kind: "hang" }], { way, agent });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", timeoutMs: 100, retryable: true });
    await expect.poll(server.open).toBe(0);
  });

  it.each([
    ["no candidate", { candidates: [] }],
    ["no content", { candidates: [{ finishReason: "STOP" }] }],
    ["an empty text", { candidates: [{ content: { parts: [{ text: "" }] }, finishReason: "STOP" }] }],
    ["an unknown reason", { candidates: [{ finishReason: "OTHER" }] }],
  ])("replies with %s is asked again", async (_, body) => {
    const { error: thrown, attempts } = await ask([raw(200, body)], { way });
    expect(attempts).toBe(2);
    expect(thrown()).toEqual({ _tag: "ModelBehaviorError", detail: "the reply is empty" });
  });

  it("only thinks isn't asked again", async () => {
    const { error: thrown, attempts } = await ask([{ parts: [{ text: "Hm.", thought: true }] }], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toEqual({ _tag: "ModelBehaviorError", detail: "it holds reasoning and no answer" });
  });

  const FILTERS = ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY"];
  const stops: readonly (readonly [string, string])[] = [
    ...FILTERS.map((reason) => [reason, "content_filter"] as const),
    ["MAX_TOKENS", "length"],
  ];

  it.each(stops)("stops for %s before it says anything isn't asked again", async (finishReason, told) => {
    const { error: thrown, attempts } = await ask([{ finishReason }], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toMatchObject({
      _tag: "ModelBehaviorError",
      detail: expect.stringContaining(told),
    });
  });

  it.each(stops)("stops for %s later has said so much, and why is told", async (finishReason, told) => {
    const said = { parts: [{ text: "So far" }], finishReason };
    const { result, events } = await ask([said], { way });
    expect(result.outcome).toEqual({ status: "completed", output: "So far" });
    expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({
      data: { finishReason: told },
    });
  });

  it.each(["SAFETY", "PROHIBITED_CONTENT", "OTHER", "A_NEW_ONE"])(
    "keeps the prompt from the model for %s isn't asked again",
    async (blockReason) => {
      const body = { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 9 } };
      const answer = way === "whole" ? raw(200, body) : stream(JSON.stringify(body));
      const { error: thrown, attempts } = await ask([answer], { way });
      expect(attempts).toBe(1);
      expect(thrown()).toMatchObject({
        _tag: "ModelBehaviorError",
        detail: expect.stringContaining("content_filter"),
      });
    },
  );

  it.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])(
    "stops for %s is asked again, whatever it said before",
    async (finishReason) => {
      const { result, events, attempts } = await ask(
        [{ parts: [{ text: "I look." }], finishReason }, "Hello."],
        { way },
      );
      expect(attempts).toBe(2);
      expect(result.outcome).toEqual({ status: "completed", output: "Hello." });
      expect(result.finalState.messages).toHaveLength(2);
      expect(events.find(({ type }) => type === "llm_retry")).toMatchObject({
        data: { discardText: way === "streamed" },
      });
    },
  );

  it("misses a signature isn't asked again", async () => {
    const { error: thrown, attempts } = await ask([{ finishReason: "MISSING_THOUGHT_SIGNATURE" }], { way });
    expect(attempts).toBe(1);
    expect(thrown()).toMatchObject({ _tag: "ModelCallError", retryable: false });
  });

  it("calls a tool with wrong arguments, or none that there is, is told so", async () => {
    const ran: unknown[] = [];
    const tool = createTool({
      name: "add",
      description: "d",
      parameters: z.object({ a: z.number() }),
      execute: async (args) => String(ran.push(args)),
    });
    const parts = [
      { functionCall: { id: "c1", name: "add", args: { a: "one" } }, thoughtSignature: "s" },
      { functionCall: { id: "c2", name: "nothing", args: {} } },
    ];
    const { result, server } = await ask([{ parts }, "I see."], { way, agent: { tools: [tool] } });
    expect(result.outcome).toEqual({ status: "completed", output: "I see." });
    expect(ran).toEqual([]);
    expect(server.refusals).toEqual([]);
    const failed = (id: string, name: string, code: string) => ({
      functionResponse: { id, name, response: { error: expect.stringContaining(code) } },
    });
    expect(server.bodies[1]).toMatchObject({
      contents: [
        {},
        {},
        { parts: [failed("c1", "add", "INVALID_INPUT"), failed("c2", "nothing", "TOOL_NOT_FOUND")] },
      ],
    });
  });
});

describe("a stream that", () => {
  it("reports an error is retracted and asked again", async () => {
    const failing = stream(piece("Half"), JSON.stringify(error(503, "UNAVAILABLE")));
    const { result, events } = await ask([failing, "Whole."], { way: "streamed" });
    expect(result.outcome).toEqual({ status: "completed", output: "Whole." });
    expect(events.find(({ type }) => type === "llm_retry")).toMatchObject({ data: { discardText: true } });
    expect(result.finalState.messages).toHaveLength(2);
  });

  it.each([
    ["holds an event that is no JSON", [piece("Half"), "oops"]],
    ["ends before it is whole", [piece("Half")]],
    ["holds nothing", []],
  ])("%s is asked again", async (_, events) => {
    const { error: thrown, attempts } = await ask([stream(...events)], { way: "streamed" });
    expect(attempts).toBe(2);
    expect(thrown()).toMatchObject({
      _tag: "ModelCallError",
      retryable: true,
      cause: { name: "GoogleError" },
    });
  });

  it("goes on behind its finish reason is read to its end", async () => {
    const late = JSON.stringify({
      candidates: [{ content: { parts: [{ text: "", thoughtSignature: "late" }] } }],
    });
    const { result } = await ask([stream(piece("Hi.", { finishReason: "STOP" }), late)], { way: "streamed" });
    expect(result.finalState.messages[1]).toMatchObject({
      content: [
        { text: "Hi.", providerMetadata: { google: { pieces: [{}, { thoughtSignature: "late" }] } } },
      ],
    });
  });

  it("falls silent is asked again", async () => {
    const server = await gemini([{ kind: "hang" }, "Hello."]);
    const { config } = configOf(providerOf(server), {}, { modelIdleTimeoutMs: 2_000 });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
  });
});

describe("a run", () => {
  it("that is aborted ends the request, and leaves none open", async () => {
    const server = await gemini([{ kind: "hang" }]);
    const controller = new AbortController();
    const { config } = configOf(providerOf(server), {}, { signal: controller.signal });
    const result = runStream(says("Hi"), config).result;
    await expect.poll(() => server.bodies.length).toBe(1);
    controller.abort(new Error("the user left"));
    expect((await result).outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted" } });
    await expect.poll(server.open).toBe(0);
  });

  it("asks a service again that nobody listens at", async () => {
    const provider = createGoogleProvider({
      baseURL: "http://127.0.0.1:1/v1beta",
      apiKey: "k",
      model: MODEL,
    });
    const { outcome } = await run(says("Hi"), configOf(provider).config);
    expect(outcome).toMatchObject({ error: { _tag: "ModelCallError", retryable: true, attempts: 2 } });
  });

  it("without a model ends at once, and says what to set", async () => {
    const server = await gemini(["Hello."]);
    const { config } = configOf(providerOf(server, { model: undefined }));
    expect(errorOf(await run<unknown, unknown>(says("Hi"), config))).toMatchObject({
      _tag: "ModelCallError",
      attempts: 1,
      cause: { message: expect.stringContaining("modelConfig.name") },
    });
    expect(server.bodies).toEqual([]);
  });
});
