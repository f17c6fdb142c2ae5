import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Agent, createRunState, createTool, run } from "@jaf/core";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createAiSdkProvider } from "../src/index.ts";
import { type Answer, type ModelServer, startModelServer } from "./support/model-server.ts";

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

describe("a service with OpenAI's Chat Completions API", () => {
  it("gets its model's reasoning and call signature back in a tool loop", async () => {
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
});
