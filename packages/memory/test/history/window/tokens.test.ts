import { type ContentPart, createGptTokenizer, type Message, type RichMessage } from "@jaf/memory";
import { countMessageTokens, estimateTokens } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import { recordedConversations, recordedMissing } from "../recorded-conversations.ts";
import { TEXTS } from "./texts.ts";
import { calls, user } from "./window-histories.ts";

describe("estimateTokens", () => {
  it("counts letters, other ASCII and all other bytes, each with its weight", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("eight ch")).toBe(2);
    expect(estimateTokens("123")).toBe(2);
    expect(estimateTokens("é")).toBe(2);
    expect(estimateTokens("界")).toBe(3);
    expect(estimateTokens("😀")).toBe(4);
  });

  it.each(["o200k_base", "cl100k_base"] as const)("is above %s in every script", async (encoding) => {
    const tokenizer = await createGptTokenizer({ encoding });
    for (const [script, text] of Object.entries(TEXTS)) {
      expect(estimateTokens(text), script).toBeGreaterThanOrEqual(tokenizer(text));
    }
  });

  it.skipIf(recordedMissing !== undefined)(
    `is 10 to 35 % above the recorded conversations${recordedMissing ? ` (skipped: ${recordedMissing})` : ""}`,
    async () => {
      const tokenizer = await createGptTokenizer();
      for (const messages of recordedConversations()) {
        const sum = (count: (message: Message) => number) =>
          messages.reduce((tokens, message) => tokens + count(message), 0);
        const ratio =
          sum((message) => countMessageTokens(message)) /
          sum((message) => countMessageTokens(message, tokenizer));
        expect(ratio).toBeGreaterThan(1.1);
        expect(ratio).toBeLessThan(1.35);
      }
    },
  );
});

describe("countMessageTokens", () => {
  const tokenizer = (text: string) => text.length;

  it("adds text, tool calls and their frames", () => {
    expect(countMessageTokens(user("12345"), tokenizer)).toBe(9);
    expect(countMessageTokens(calls("a", "b"), tokenizer)).toBe(4 + 2 * (8 + "look".length + "{}".length));
  });

  it("counts text parts by their text, and media at a flat rate", () => {
    const rich: RichMessage = {
      role: "user",
      content: [
        { type: "text", text: "12345" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
      attachments: [{ kind: "document" }],
    };
    expect(countMessageTokens(rich, tokenizer)).toBe(4 + 5 + 2 * 1_600);
  });
});

describe("countMessageTokens of a part", () => {
  const tokenizer = (text: string) => text.length;
  const base64 = "QUJD".repeat(1_000);
  const image = new Uint8Array(50_000);

  it.each<[string, ContentPart, number]>([
    ["reasoning: its text", { type: "reasoning", text: "12345", signature: base64 }, 5],
    ["encrypted reasoning: a quarter a character", { type: "reasoning", encrypted: base64 }, 1_000],
    ["both", { type: "reasoning", text: "12345", encrypted: "x".repeat(8) }, 7],
    ["a signature alone", { type: "reasoning", text: "", signature: "12345678" }, 11],
    ["thinking", { type: "thinking", thinking: "12345", signature: base64 }, 5],
    ["redacted thinking", { type: "redacted_thinking", data: base64 }, 1_000],
    [
      "a reasoning item",
      {
        type: "reasoning",
        id: "rs",
        summary: [{ type: "summary_text", text: "12345" }],
        encrypted_content: "12345678",
      },
      7,
    ],
    ["a refusal", { type: "refusal", refusal: "12345" }, 5],
    ["media", { type: "media", mediaType: "image/png", data: image }, 1_600],
    ["media of others", { type: "input_image", image_url: `data:image/png;base64,${base64}` }, 1_600],
    ["the place of a call", { type: "tool-call", id: "a" }, 0],
    ["a provider's call", { type: "provider-tool-call", id: "p", name: "12345", input: { q: 1 } }, 12],
    ["a provider's result", { type: "provider-tool-result", id: "p", output: ["12345"] }, 9],
    [
      "an image in a result",
      { type: "provider-tool-result", id: "p", output: { result: base64 } },
      2 + 1_000,
    ],
    ["bytes in a result", { type: "provider-tool-result", id: "p", output: { image } }, 2 + 1_600],
    ["a source", { type: "source", title: "12345", url: "https://a" }, 0],
    ["another part with text", { type: "made_up", text: "12345" }, 5],
    ["another part", { type: "made_up", of: 1 }, 25],
  ])("%s", (_, part, expected) => {
    const message: RichMessage = { role: "assistant", content: [part] };
    expect(countMessageTokens(message, tokenizer)).toBe(4 + expected);
  });

  it.each<[string, object, number]>([
    ["a refusal", { refusal: "12345" }, 5],
    ["audio", { audio: { id: "audio_1", data: base64 } }, 1_600],
    ["reasoning_content", { reasoning_content: "12345" }, 5],
    [
      "reasoning_details in place of the same as text",
      {
        reasoning: "12345",
        reasoning_details: [
          { type: "reasoning.text", text: "12345", signature: base64 },
          { type: "reasoning.encrypted", data: "12345678" },
        ],
      },
      7,
    ],
    [
      "annotations, an id and metadata not",
      { annotations: [1], id: "m", providerMetadata: { a: base64 } },
      0,
    ],
  ])("in a field of the message: %s", (_, fields, expected) => {
    const message = { role: "assistant", content: null, ...fields } as RichMessage;
    expect(countMessageTokens(message, tokenizer)).toBe(4 + expected);
  });

  it("counts a custom call by its input", () => {
    const call = { id: "a", type: "custom", custom: { name: "run", input: "12345" } } as const;
    expect(countMessageTokens({ role: "assistant", content: null, tool_calls: [call] }, tokenizer)).toBe(20);
  });
});
