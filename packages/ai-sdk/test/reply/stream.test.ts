import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { type Agent, createRunState, createTool, type RunConfig, runStream } from "@jaf/core";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createAiSdkProvider } from "../../src/index.ts";
import { request, streamed } from "../support/asked.ts";
import { STOP, streamOf, USAGE } from "../support/models.ts";

const streaming = (...parts: LanguageModelV3StreamPart[]) =>
  createAiSdkProvider<object>(
    new MockLanguageModelV3({
      provider: "anthropic.messages",
      modelId: "claude",
      doStream: async () => ({ stream: streamOf(parts) }),
    }),
  );

const signed = { anthropic: { signature: "c2ln" } };

const find = createTool({
  name: "find",
  description: "d",
  parameters: z.object({ q: z.number().optional() }),
  execute: () => "",
});

/** Every kind of piece. */
const PIECES: LanguageModelV3StreamPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "response-metadata", id: "r1" },
  { type: "raw", rawValue: {} },
  { type: "reasoning-start", id: "0" },
  { type: "reasoning-delta", id: "0", delta: "Let " },
  { type: "reasoning-delta", id: "0", delta: "me think" },
  { type: "reasoning-end", id: "0", providerMetadata: signed },
  { type: "tool-input-start", id: "s1", toolName: "web_search", providerExecuted: true },
  { type: "tool-input-delta", id: "s1", delta: '{"q":1}' },
  { type: "tool-input-end", id: "s1" },
  { type: "tool-call", toolCallId: "s1", toolName: "web_search", input: '{"q":1}', providerExecuted: true },
  { type: "tool-result", toolCallId: "s1", toolName: "web_search", result: "…", preliminary: true },
  { type: "tool-result", toolCallId: "s1", toolName: "web_search", result: "found" },
  { type: "source", sourceType: "url", id: "1", url: "https://a.example" },
  { type: "file", mediaType: "image/png", data: "aGk=" },
  { type: "tool-approval-request", approvalId: "a1", toolCallId: "m1" },
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "So" },
  { type: "text-delta", id: "0", delta: ":" },
  { type: "text-end", id: "0" },
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "more" },
  { type: "text-end", id: "0" },
  { type: "tool-input-start", id: "c1", toolName: "find" },
  { type: "tool-input-delta", id: "c1", delta: '{"q"' },
  { type: "tool-input-delta", id: "c1", delta: ":2}" },
  { type: "tool-input-end", id: "c1" },
  { type: "tool-call", toolCallId: "c1", toolName: "find", input: '{"q":2}', providerMetadata: signed },
  { type: "tool-call", toolCallId: "c2", toolName: "find", input: "{}" },
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" }, usage: USAGE },
];

describe("a stream", () => {
  it("yields each piece, and ends with the complete reply in order", async () => {
    const chunks = await streamed(streaming(...PIECES), { agent: { tools: [find] } });
    expect(chunks.filter((chunk) => chunk.type !== "text_delta" || chunk.text !== "")).toEqual([
      { type: "reasoning_delta", text: "Let ", id: "0" },
      { type: "reasoning_delta", text: "me think", id: "0" },
      { type: "part", part: { type: "provider-tool-call", id: "s1", name: "web_search", input: { q: 1 } } },
      { type: "part", part: { type: "provider-tool-result", id: "s1", name: "web_search", output: "found" } },
      { type: "part", part: { type: "media", mediaType: "image/png", data: "aGk=" } },
      { type: "text_delta", text: "So" },
      { type: "text_delta", text: ":" },
      { type: "text_delta", text: "more" },
      { type: "tool_call_delta", index: 0, id: "c1", name: "find" },
      { type: "tool_call_delta", index: 0, arguments: '{"q"' },
      { type: "tool_call_delta", index: 0, arguments: ":2}" },
      { type: "tool_call_delta", index: 1, id: "c2", name: "find", arguments: "{}" },
      { type: "part", part: { type: "source", sourceType: "url", id: "1", url: "https://a.example" } },
      {
        type: "done",
        origin: { provider: "anthropic.messages", api: "ai-sdk-v3", model: "claude" },
        finishReason: "tool_calls",
        usage: { inputTokens: 20, cachedInputTokens: 15, outputTokens: 9, reasoningTokens: 7 },
        message: {
          id: "r1",
          content: [
            { type: "reasoning", text: "Let me think", providerMetadata: signed },
            { type: "provider-tool-call", id: "s1", name: "web_search", input: { q: 1 } },
            { type: "provider-tool-result", id: "s1", name: "web_search", output: "found" },
            { type: "media", mediaType: "image/png", data: "aGk=" },
            { type: "tool-approval-request", approvalId: "a1", toolCallId: "m1" },
            {
              ...{ type: "text", text: "So:more" },
              providerMetadata: { jaf: { segments: [{ length: 3 }, { length: 4 }] } },
            },
            { type: "source", sourceType: "url", id: "1", url: "https://a.example" },
            { type: "tool-call", id: "c1" },
            { type: "tool-call", id: "c2" },
          ],
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "find", arguments: '{"q":2}' },
              providerMetadata: signed,
            },
            { id: "c2", type: "function", function: { name: "find", arguments: "{}" } },
          ],
        },
      },
    ]);
    // Silent pieces yield empty chunks, because the engine times out without any.
    expect(chunks.length).toBeGreaterThanOrEqual(PIECES.length);
  });

  const call = { type: "tool-call", toolCallId: "m1", toolName: "order", input: "{}" } as const;
  const FINISH: LanguageModelV3StreamPart = { type: "finish", finishReason: STOP, usage: USAGE };
  const pieceKinds = async (...pieces: LanguageModelV3StreamPart[]) =>
    (await streamed(streaming(...pieces, FINISH), { agent: { tools: [find] } })).flatMap((chunk) =>
      chunk.type === "part" ? [chunk.part.type] : chunk.type === "text_delta" ? [] : [chunk.type],
    );

  it("tells a call of a tool that the agent hasn't only if the reply has no result for it", async () => {
    const result = { type: "tool-result", toolCallId: "m1", toolName: "order", result: "tea" } as const;
    expect(await pieceKinds(call, result)).toEqual(["provider-tool-call", "provider-tool-result", "done"]);
    expect(await pieceKinds(call)).toEqual(["tool_call_delta", "done"]);
  });

  it("tells a call that the provider runs as a call only if it waits for an approval", async () => {
    const executed = { ...call, providerExecuted: true };
    const asks = { type: "tool-approval-request", approvalId: "a1", toolCallId: "m1" } as const;
    expect(await pieceKinds(executed, asks)).toEqual(["tool_call_delta", "done"]);
    const other = { ...executed, toolCallId: "m2" };
    const later = [other, { type: "raw", rawValue: {} } as const, asks, { ...asks, toolCallId: "m2" }];
    expect(await pieceKinds(executed, ...later)).toEqual(["tool_call_delta", "tool_call_delta", "done"]);
    expect(await pieceKinds(executed)).toEqual(["provider-tool-call", "done"]);
  });

  it("has no `done` if it is cut anywhere", async () => {
    for (let length = 0; length < PIECES.length; length++) {
      const chunks = await streamed(streaming(...PIECES.slice(0, length)));
      expect(chunks.map(({ type }) => type)).not.toContain("done");
    }
  });

  it.each([
    { unified: "other", raw: undefined },
    { unified: "error", raw: undefined },
  ] as const)("has no `done` without the provider's finish reason: $unified", async (finishReason) => {
    const chunks = await streamed(
      streaming(
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "Half a" },
        { type: "finish", finishReason, usage: USAGE },
      ),
    );
    expect(chunks.map(({ type }) => type)).not.toContain("done");
  });

  it("has `done` if a V2 model ends for another reason, which isn't the same as none", async () => {
    const lasts = ["other", "unknown"].map(async (finishReason) => {
      const model = {
        ...{ specificationVersion: "v2", provider: "old.chat", modelId: "m" },
        doGenerate: () => Promise.reject(new Error("unused")),
        doStream: async () => ({
          stream: streamOf([{ type: "finish", finishReason, usage: {} }] as never),
        }),
      };
      return (await streamed(createAiSdkProvider<object>(model))).at(-1);
    });
    expect(await Promise.all(lasts)).toMatchObject([{ type: "done", finishReason: "other" }, undefined]);
  });

  it("throws an error piece at any place", async () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    for (let length = 0; length < PIECES.length; length++) {
      const pieces = streaming(...PIECES.slice(0, length), { type: "error", error });
      await expect(streamed(pieces)).rejects.toMatchObject({
        message: "anthropic.messages reported an error (overloaded_error)",
        isRetryable: true,
      });
    }
  });

  it("is cancelled if its reader leaves", async () => {
    let cancelled = false;
    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      start: (controller) => controller.enqueue({ type: "stream-start", warnings: [] }),
      cancel: () => {
        cancelled = true;
      },
    });
    const model = new MockLanguageModelV3({ doStream: async () => ({ stream }) });
    const provider = createAiSdkProvider(model);
    const chunks = provider.getCompletionStream?.(...request(provider)) ?? [];
    for await (const _ of chunks) break;
    expect(cancelled).toBe(true);
  });
});

describe("a run that streams", () => {
  const say = (...said: LanguageModelV3StreamPart[]) => [
    { type: "text-start" as const, id: "0" },
    { type: "text-delta" as const, id: "0", delta: "Half a re" },
    ...said,
  ];
  const whole = say(
    { type: "text-delta", id: "0", delta: "ply" },
    { type: "finish", finishReason: STOP, usage: USAGE },
  );

  it("retries a cut stream, and stores only the complete reply", async () => {
    const streams = [
      say(),
      say({ type: "finish", finishReason: { unified: "other", raw: undefined }, usage: USAGE }),
      whole,
    ];
    const model = new MockLanguageModelV3({
      doStream: async () => ({ stream: streamOf(streams.shift() ?? []) }),
    });
    const agent: Agent<object, string> = { name: "clerk", instructions: () => "Be brief." };
    const config: RunConfig<object> = {
      agentRegistry: new Map([["clerk", agent]]),
      modelProvider: createAiSdkProvider(model),
      modelRetry: { baseDelayMs: 1 },
    };
    const state = createRunState<object>({
      agentName: "clerk",
      context: {},
      messages: [{ role: "user", content: "?" }],
    });
    const types: string[] = [];
    const running = runStream<object, string>(state, config);
    for await (const { type } of running) types.push(type);
    const { outcome, finalState } = await running.result;
    expect(outcome).toMatchObject({ status: "completed", output: "Half a reply" });
    expect(finalState.messages).toHaveLength(2);
    expect(types.filter((type) => type === "llm_retry")).toHaveLength(2);
  });
});
