import { describe, expect, it } from "vitest";
import { messageText } from "../../../src/history/index.ts";
import type { RichMessage } from "../../../src/index.ts";
import { stableLength } from "../../../src/internal.ts";

const said = (content: string): RichMessage => ({ role: "user", content });

const reply: RichMessage = { role: "assistant", content: "Hello." };

const withFacts: RichMessage = {
  role: "user",
  content: [
    { type: "text", text: "Facts.", transient: true },
    { type: "text", text: "Hi" },
  ],
};

it.each<[string, readonly RichMessage[], number]>([
  ["all where nothing changes", [said("Hi"), reply, said("And?")], 3],
  ["those before the newest that has something before it", [said("Hi"), reply, withFacts], 2],
  ["the same in the steps of that turn", [said("Hi"), reply, withFacts, reply, reply], 2],
  ["none where that is the first", [withFacts], 0],
  ["all where only an older message claims to change: it is stored so", [withFacts, reply, said("Hi")], 3],
  ["none of none", [], 0],
])("the next turn will have %s", (_, messages, expected) => {
  expect(stableLength(messages)).toBe(expected);
});

describe("messageText", () => {
  const rich = (content: RichMessage["content"]): RichMessage => ({ role: "user", content });

  it("returns text content unchanged, and the text parts of a list line by line", () => {
    expect(messageText({ role: "user", content: " a\n" })).toBe(" a\n");
    const parts = [
      { type: "text", text: "a" },
      { type: "image_url", image_url: {} },
      { type: "text", text: "b" },
    ];
    expect(messageText(rich(parts))).toBe("a\nb");
  });

  it("returns an empty text if there is none", () => {
    expect(messageText(rich(null))).toBe("");
    expect(messageText(rich([]))).toBe("");
    expect(messageText(rich([{ type: "text", text: 5 }]))).toBe("");
  });
});
