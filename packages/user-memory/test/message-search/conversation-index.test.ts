import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  blockOf,
  bytesOf,
  createYielding,
  eachMessage,
  joined,
  passagesIn,
} from "../../src/message-search/conversation-index.ts";

const blocks = (texts: readonly string[]) =>
  Promise.all(
    texts.map((text, offset) =>
      blockOf(
        { text, hash: offset, offset, isAssistant: false },
        { most: 1e6, yieldIfDue: createYielding() },
      ),
    ),
  );

describe("passages", () => {
  test("contain all words of a text in order, with at most 500 units each", () => {
    const text = fc.array(
      fc.constantFrom("word", "a", "?", ". ", "\n", " ", "字", "\u{1f600}", "x".repeat(600)),
      {
        maxLength: 300,
      },
    );
    fc.assert(
      fc.property(text, (parts) => {
        const given = parts.join("");
        const passages = [...passagesIn(given)];
        const letters = (said: string) => said.replace(/[^\p{L}\p{So}]/gu, "");
        expect(letters(passages.join(""))).toBe(letters(given));
        for (const passage of passages) {
          expect(passage.length).toBeLessThanOrEqual(500);
          expect(passage).not.toMatch(/\p{Cs}/u);
        }
      }),
    );
  });

  test("end with a sentence if there is one", () => {
    const sentence = `${"word ".repeat(24)}end.`;
    for (const passage of passagesIn(Array(9).fill(sentence).join(" ")))
      expect(passage.trim()).toMatch(/end\.$/);
  });
});

describe("a segment", () => {
  test("takes at most 600 bytes for a message of fifty words", async () => {
    const texts = Array.from({ length: 500 }, (_, at) =>
      Array.from({ length: 50 }, (_, word) => `w${at}x${word}`).join(" "),
    );
    const segment = { conversationId: "c", base: 0, data: joined(await blocks(texts)) };
    expect(bytesOf(segment) / texts.length).toBeLessThan(600);
  });

  test("returns each message at its position", async () => {
    const segment = { conversationId: "c", base: 0, data: joined(await blocks(["tea", "", "the violin"])) };
    const offsets: (number | undefined)[] = [];
    eachMessage(segment, (start) => offsets.push(segment.data[start]));
    expect(offsets).toEqual([0, 1, 2]);
  });
});
