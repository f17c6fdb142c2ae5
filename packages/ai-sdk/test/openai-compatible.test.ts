import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Agent, createRunState, createTool, run, runStream } from "@jaf/core";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createAiSdkProvider } from "../src/index.ts";
import {
  type Answer,
  EVENT_STREAM,
  type ModelServer,
  sse,
  startModelServer,
} from "./support/model-server.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function serve(answerTo: (request: unknown) => Answer) {
  server = await startModelServer(answerTo);
  const service = createOpenAICompatible({ name: "gateway", baseURL: server.url, apiKey: "k" });
  const modelProvider = createAiSdkProvider<object>((name) => service(name), { model: "m-1" });
  const price = createTool({
    name: "price",
    description: "A price in cents",
    parameters: z.object({ article: z.string() }),
    execute: ({ article }) => `${article}: 50`,
  });
  const clerk: Agent<object, string> = { name: "clerk", instructions: () => "Be brief.", tools: [price] };
  const state = createRunState<object>({
    agentName: "clerk",
    context: {},
    messages: [{ role: "user", content: "What is an apple?" }],
  });
  const config = {
    agentRegistry: new Map([["clerk", clerk]]),
    modelProvider,
    modelRetry: { baseDelayMs: 1 },
  };
  return { server, state, config };
}

const reply = (message: object, finish_reason = "stop"): Answer => ({
  body: JSON.stringify({
    id: "r",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    usage: { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
  }),
});

describe("a service that speaks OpenAI's chat completions", () => {
  it("gets what its model thought back within a tool loop, the signature of the call among it", async () => {
    const call = {
      id: "c1",
      type: "function",
      function: { name: "price", arguments: '{"article":"apple"}' },
      extra_content: { google: { thought_signature: "c2ln" } },
    };
    const answers = [
      reply({ content: null, reasoning_content: "A price…", tool_calls: [call] }, "tool_calls"),
      reply({ content: "50 cents." }),
    ];
    const { server, state, config } = await serve(() => answers.shift() ?? { status: 500, body: "" });
    const { outcome } = await run<object, string>(state, config);
    expect(outcome).toMatchObject({ status: "completed", output: "50 cents." });
    expect(server.requests[1]).toMatchObject({
      model: "m-1",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "What is an apple?" },
        { role: "assistant", content: null, reasoning_content: "A price…", tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "apple: 50" },
      ],
    });
  });

  const EVENTS = [
    { choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
    { choices: [{ index: 0, delta: { reasoning_content: "Ünder…" } }] },
    { choices: [{ index: 0, delta: { content: "50 " } }] },
    { choices: [{ index: 0, delta: { content: "cents — 😀." } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ];
  const STREAM = sse(EVENTS, "data: [DONE]\n\n");
  const length = Buffer.byteLength(STREAM);
  /** From here on the model has said that it is done. */
  const complete = Buffer.byteLength(sse(EVENTS)) - 2;

  it.each([
    ["any byte, as if it were whole", "end", 1],
    ["a byte, and its connection with it", "cut", 7],
  ] as const)(
    "has a defined outcome where its stream stops at %s",
    async (_, by, bytes) => {
      let after = 0;
      const { state, config } = await serve(() => ({
        headers: EVENT_STREAM,
        body: STREAM,
        stop: { after, by },
      }));
      for (after = 0; after <= length; after += bytes) {
        const running = runStream<object, string>(state, { ...config, modelRetry: { maxAttempts: 1 } });
        for await (const _ of running);
        const { outcome, finalState } = await running.result;
        if (outcome.status === "completed") {
          expect(after).toBeGreaterThanOrEqual(complete);
          expect(outcome.output).toBe("50 cents — 😀.");
          continue;
        }
        expect([after, outcome]).toMatchObject([
          after,
          { status: "error", error: { _tag: "ModelCallError", retryable: true } },
        ]);
        expect(finalState.messages).toHaveLength(1);
      }
      // Some hundred runs over HTTP: a busy machine takes its time.
    },
    120_000,
  );

  it.each([
    ["429", { status: 429, body: '{"error":{"message":"Slow down","code":"rate_limited"}}' }, true],
    ["500", { status: 500, body: "<html>" }, true],
    ["400", { status: 400, body: '{"error":{"message":"No such model"}}' }, false],
    ["a body that is no JSON", { body: "<html>" }, true],
    ["an empty body", { body: "" }, true],
    [
      "an error in the stream",
      { headers: EVENT_STREAM, body: sse([{ error: { message: "Overloaded" } }]) },
      true,
    ],
  ] as const)("fails in a way that is known: %s", async (_, answer, retryable) => {
    const { state, config } = await serve(() => answer);
    const running = runStream<object, string>(state, { ...config, modelRetry: { maxAttempts: 1 } });
    for await (const _ of running);
    const { outcome } = await running.result;
    expect(outcome).toMatchObject({ status: "error", error: { _tag: "ModelCallError", retryable } });
  });

  it("is left when the run is aborted", async () => {
    const controller = new AbortController();
    const { state, config } = await serve(() => {
      controller.abort();
      return { headers: EVENT_STREAM, body: STREAM, stop: { after: 10, by: "end" } };
    });
    const { outcome } = await run<object, string>(state, { ...config, signal: controller.signal });
    expect(outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted" } });
  });
});
