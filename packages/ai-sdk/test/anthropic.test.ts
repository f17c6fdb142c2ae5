import { createAnthropic } from "@ai-sdk/anthropic";
import { type Agent, createRunState, createTool, run, runStream } from "@jaf/core";
import { createInMemoryProvider, type RichMessage } from "@jaf/memory";
import { MockLanguageModelV3 } from "ai/test";
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
import { generated } from "./support/models.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

const SIGNATURE = "EqQBCgIYAhIM+/byteForByte==";
const THINKING = [
  { type: "thinking", thinking: "The price is asked for…", signature: SIGNATURE },
  { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix/LafPsn4a" },
];
const CALL = { type: "tool_use", id: "toolu_1", name: "price", input: { article: "apple" } };

const answer = (content: readonly object[], stop_reason = "end_turn"): Answer => ({
  body: JSON.stringify({
    type: "message",
    id: "msg_1",
    role: "assistant",
    model: "claude",
    content,
    stop_reason,
    usage: { input_tokens: 9, output_tokens: 3, cache_read_input_tokens: 100 },
  }),
});

interface Request {
  readonly model: string;
  readonly system: unknown;
  readonly messages: readonly {
    readonly role: string;
    readonly content: readonly { readonly type: string }[];
  }[];
}

/** Refuses, like Anthropic, a tool use in a turn with thinking if the original thinking before it is missing. */
function strict(answers: Answer[]): (request: unknown) => Answer {
  return (sent) => {
    const { messages } = sent as Request;
    for (const { role, content } of messages) {
      if (role !== "assistant" || !content.some(({ type }) => type === "tool_use")) continue;
      if (JSON.stringify(content.slice(0, 2)) !== JSON.stringify(THINKING)) {
        const message = "Expected `thinking` or `redacted_thinking`, but found `tool_use`.";
        return {
          status: 400,
          body: JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }),
        };
      }
    }
    return answers.shift() ?? { status: 500, body: "" };
  };
}

async function serve(answers: Answer[]) {
  server = await startModelServer(strict(answers));
  const anthropic = createAnthropic({ baseURL: server.url, apiKey: "k" });
  const other = new MockLanguageModelV3({
    provider: "openai.chat",
    modelId: "gpt",
    doGenerate: async () => generated([{ type: "text", text: "As I said." }]),
  });
  const price = createTool({
    name: "price",
    description: "A price in cents",
    parameters: z.object({ article: z.string() }),
    execute: ({ article }) => `${article}: 50`,
  });
  const clerk: Agent<object, string> = {
    name: "clerk",
    instructions: () => "Be brief.",
    tools: [price],
    modelConfig: { name: "claude" },
  };
  const provider = createInMemoryProvider();
  const config = {
    agentRegistry: new Map([["clerk", clerk]]),
    modelProvider: createAiSdkProvider<object>((name) => (name === "gpt" ? other : anthropic(name))),
    modelRetry: { maxAttempts: 1 },
    conversationId: "c",
    memory: { provider, autoStore: true, durability: "step" as const },
  };
  const say = (content: string) =>
    createRunState<object>({ agentName: "clerk", context: {}, messages: [{ role: "user", content }] });
  const stored = async (): Promise<readonly RichMessage[]> => {
    const found = await provider.getConversation("c");
    return found.success ? (found.data?.messages ?? []) : [];
  };
  return { server, other, config, say, stored };
}

const asked = (server: ModelServer): readonly Request[] =>
  server.requests.map((request) => request as Request);

describe("Claude's thinking", () => {
  it("is sent back byte for byte before its call, in the same run and in the next", async () => {
    const { server, config, say, stored } = await serve([
      answer([...THINKING, CALL], "tool_use"),
      answer([{ type: "text", text: "50 cents." }]),
      answer([{ type: "text", text: "Yes." }]),
    ]);
    const first = await run<object, string>(say("An apple?"), config);
    expect(first.outcome).toMatchObject({ status: "completed", output: "50 cents." });
    const second = await run<object, string>(say("Sure?"), config);
    expect(second.outcome).toMatchObject({ status: "completed", output: "Yes." });
    for (const { messages } of asked(server).slice(1)) {
      expect(JSON.stringify(messages[1]?.content)).toBe(JSON.stringify([...THINKING, CALL]));
    }
    expect((await stored())[1]?.origin).toEqual({
      provider: "anthropic.messages",
      api: "ai-sdk-v3",
      model: "claude",
    });
  });

  it("isn't sent to another model, but to Claude again afterwards", async () => {
    const { server, other, config, say } = await serve([
      answer([...THINKING, CALL], "tool_use"),
      answer([{ type: "text", text: "50 cents." }]),
      answer([{ type: "text", text: "Back again." }]),
    ]);
    await run<object, string>(say("An apple?"), config);
    const { outcome } = await run<object, string>(say("Sure?"), { ...config, modelOverride: "gpt" });
    expect(outcome).toMatchObject({ status: "completed", output: "As I said." });
    const sent = JSON.stringify(other.doGenerateCalls[0]?.prompt);
    expect(sent).toContain("toolu_1");
    expect(sent).not.toMatch(/byteForByte|EmwKAhgB|The price is asked for|reasoning|providerOptions/);
    const again = await run<object, string>(say("And you?"), config);
    expect(again.outcome).toMatchObject({ status: "completed", output: "Back again." });
    expect(JSON.stringify(asked(server).at(-1)?.messages[1]?.content)).toBe(
      JSON.stringify([...THINKING, CALL]),
    );
  });

  it("is requested with marks for the prompt cache", async () => {
    const { server, config, say } = await serve([answer([{ type: "text", text: "Hi." }])]);
    const cache = { instructions: true, tools: true, messages: 1 };
    await run<object, string>(say("An apple?"), { ...config, cache });
    const cache_control = { type: "ephemeral", ttl: "1h" };
    expect(server.requests[0]).toMatchObject({
      system: [{ text: "Be brief.", cache_control }],
      tools: [{ name: "price", cache_control }],
      messages: [{ role: "user", content: [{ text: "An apple?", cache_control }] }],
    });
  });

  it("is stored completely if it is streamed", async () => {
    const [thinking, redacted] = THINKING;
    const delta = (index: number, of: object) => ({ type: "content_block_delta", index, delta: of });
    const block = (index: number, content_block: object, ...deltas: object[]) => [
      { type: "content_block_start", index, content_block },
      ...deltas,
      { type: "content_block_stop", index },
    ];
    const stream = sse([
      {
        type: "message_start",
        message: {
          id: "m",
          model: "claude",
          role: "assistant",
          usage: { input_tokens: 9, output_tokens: 1 },
        },
      },
      { type: "ping" },
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        delta(0, { type: "thinking_delta", thinking: "The price is " }),
        delta(0, { type: "thinking_delta", thinking: "asked for…" }),
        delta(0, { type: "signature_delta", signature: SIGNATURE }),
      ),
      ...block(1, redacted ?? {}),
      ...block(
        2,
        { type: "tool_use", id: "toolu_1", name: "price", input: {} },
        delta(2, { type: "input_json_delta", partial_json: '{"article":' }),
        delta(2, { type: "input_json_delta", partial_json: '"apple"}' }),
      ),
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 30 } },
      { type: "message_stop" },
    ]);
    const { server, config, say } = await serve([
      { headers: EVENT_STREAM, body: stream },
      {
        headers: EVENT_STREAM,
        body: sse([
          {
            type: "message_start",
            message: {
              id: "m",
              model: "claude",
              role: "assistant",
              usage: { input_tokens: 9, output_tokens: 1 },
            },
          },
          ...block(0, { type: "text", text: "" }, delta(0, { type: "text_delta", text: "50 cents." })),
          { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
          { type: "message_stop" },
        ]),
      },
    ]);
    const running = runStream<object, string>(say("An apple?"), config);
    for await (const _ of running);
    expect((await running.result).outcome).toMatchObject({ status: "completed", output: "50 cents." });
    expect(JSON.stringify(asked(server)[1]?.messages[1]?.content)).toBe(
      JSON.stringify([thinking, redacted, CALL]),
    );
  });
});
