import type { ContentPart } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import {
  type Middleware,
  type ModelProvider,
  type ModelStreamChunk,
  type RunConfig,
  runStream,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { says, setup } from "../support/setup.ts";

const streaming = (...chunks: readonly ModelStreamChunk[]): ModelProvider<unknown> => ({
  getCompletion: async () => ({}),
  getCompletionStream: async function* () {
    yield* chunks;
  },
});

/** The text and parts that a reader of the stream shows in the end. */
async function shownBy(model: ModelProvider<unknown>, config: Partial<RunConfig<unknown>>) {
  let text = "";
  let parts: readonly ContentPart[] = [];
  for await (const event of runStream(says("Hi"), setup({ model, config }).config)) {
    if (event.type === "llm_delta") text += event.data.text;
    if (event.type === "llm_part") parts = [...parts, event.data.part];
    if (event.type === "llm_retract") [text, parts] = ["", []];
  }
  return { text, parts };
}

const withoutEvil: RunConfig<unknown>["finalOutputGuardrails"] = [
  (output) =>
    String(output).includes("evil") ? { isValid: false, errorMessage: "evil" } : { isValid: true },
];

describe("a stream that ends with a text that differs from its pieces", () => {
  const model = streaming(
    { type: "text_delta", text: "evil" },
    { type: "done", message: { content: "fine" } },
  );

  it.each(["hold", "retract"] as const)("shows the text that was judged: %s", async (unguardedText) => {
    const config = { finalOutputGuardrails: withoutEvil, unguardedText };
    expect((await shownBy(model, config)).text).toBe("fine");
  });

  it("emits its pieces if it is the same text in several parts", async () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "b" },
    ];
    const same = streaming(
      { type: "text_delta", text: "a" },
      { type: "reasoning_delta", text: "hm" },
      { type: "text_delta", text: "b" },
      { type: "done", message: { content: parts } },
    );
    expect((await shownBy(same, { finalOutputGuardrails: withoutEvil })).text).toBe("ab");
  });
});

describe("a middleware that removes a part of a reply", () => {
  const image = { type: "media", mediaType: "image/png", data: "aGk=" };
  const redacting: Middleware<unknown> = {
    name: "redacting",
    wrapModelCall: async (_request, next) => {
      await next();
      return { message: { content: "Here." } };
    },
  };

  it.each([[undefined], [withoutEvil]])("shows none of it", async (finalOutputGuardrails) => {
    const model = createScriptedModel([{ text: "Here.", parts: [image] }]);
    const config = { middleware: [redacting], ...(finalOutputGuardrails && { finalOutputGuardrails }) };
    expect(await shownBy(model, config)).toEqual({ text: "Here.", parts: [] });
  });
});
