import { describe, expect, test } from "vitest";
import { quotableOf, withoutSecrets } from "../../src/evidence/passages.ts";
import { OWN } from "./third-party-text/own.ts";
import { PASTES, UNMARKED } from "./third-party-text/pastes.ts";

const passagesOf = (...said: readonly string[]) => quotableOf(said, () => false).passages;
const texts = (...said: readonly string[]) => passagesOf(...said).map(({ text }) => text);

describe("the user's messages are split into passages", () => {
  test("of whole sentences, each up to about sixty words", () => {
    const sentence = "I told my neighbour about the garden that we planted there last spring.";
    const long = Array.from({ length: 20 }, (_, index) => `${index}: ${sentence}`);
    const passages = texts(long.join(" "));
    expect(passages.join(" ")).toBe(long.join(" "));
    for (const passage of passages) {
      expect(passage.split(" ").length).toBeLessThanOrEqual(60);
      expect(passage).toMatch(/^\d+: I told .*spring\.$/);
    }
  });

  test.each([
    ["a line break", "I don't\neat fish. I eat meat."],
    ["a short pause", "I would move to Oslo, if I could. But I can't."],
    ["a script without spaces", "私は魚を\n食べません。肉は食べます。"],
  ])("never within a sentence: %s", (_, said) => {
    expect(texts(said)).toEqual([said.replace(/\s+/gu, " ")]);
  });

  test.each(["\r\n", "\r", "\u2028"])("the same, whatever a line ends with: %j", (lineBreak) => {
    const messages = [...OWN, ...[...PASTES, ...UNMARKED].map(({ message }) => message)];
    const shown = (text: string) => passagesOf(text).map((passage) => ({ ...passage, span: undefined }));
    for (const message of messages)
      expect(shown(message.replaceAll("\n", lineBreak)), message).toEqual(shown(message));
    expect(texts("I would never\r\neat meat.")).toEqual(["I would never eat meat."]);
    expect(texts("I don't share my\r\npassword, it is hunter2, as\r\nyou know.")).toEqual([]);
  });

  test("a longer sentence is kept whole, or left out", () => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
    expect(texts(`${words(100)}.`)).toEqual([`${words(100)}.`]);
    expect(texts(`Short one. Start ${words(800)} not. Last one.`)).toEqual(["Short one.", "Last one."]);
  });

  test("a short message of one line is a message, everything else a text", () => {
    const from = (...said: readonly string[]) => passagesOf(...said).map((passage) => passage.from);
    expect(from("I like tea. And coffee.")).toEqual(["message"]);
    expect(from("I like tea.\nAnd coffee.")).toEqual(["text"]);
    expect(from("I like tea.", "And coffee.")).toEqual(["text", "text"]);
    expect(from(`${"I like tea a lot, and so does my dog. ".repeat(20)}`)[0]).toBe("text");
    expect(from("I like tea.\n\n> she likes cake")).toEqual(["text"]);
  });

  test("third-party text and secrets are in no passage, and passages don't span them", () => {
    expect(texts("I like tea.\n\n> my bank is Acme\n\nI like cake.")).toEqual([
      "I like tea.",
      "I like cake.",
    ]);
    expect(texts("I like tea. My password is hunter2. I like cake.")).toEqual([
      "I like tea.",
      "I like cake.",
    ]);
    const cut = withoutSecrets("I like tea. My password is hunter2. I like cake.");
    expect(cut).not.toContain("hunter2");
    expect(texts(cut)).toEqual(["I like tea.", "I like cake."]);
  });

  test("each passage is in its message as quoted", () => {
    const said = ["Hello!  I like\ttea.\n- and cake\n- and 😀 pie\n\nBye, e\u0301t toi?", "Второе. Да!"];
    for (const { message, span, text } of passagesOf(...said)) {
      expect((said[message] ?? "").slice(span.start, span.end).replace(/\s+/gu, " ").trim()).toBe(text);
    }
  });

  test.each(["\n", "a", "- a\n", "I like tea. ", "> ", '"', "？", "a: b\n", "<a>", "\ufffc\n"])(
    "without delay, whatever it is made of: %j",
    (part) => {
      for (let count = 0; count < 5; count++) passagesOf(part.repeat(40_000 / part.length));
    },
    // The slowest took 0.6 s on a busy machine. The limit only detects endless work.
    20_000,
  );
});
