import { OFF_THE_RECORD } from "@jaf/memory/internal";
import { describe, expect, it, test } from "vitest";
import { isOffRecord } from "../../../src/evidence/off-record-scope.ts";
import { readUserInput } from "../../../src/evidence/user-input.ts";
import { offTheRecord } from "../../../src/index.ts";

const messages = (texts: readonly string[]) => texts.map((content) => ({ role: "user", content }) as const);

describe("a marked message", () => {
  it.each(["I live in Oslo", "What does off the record mean?", "", "x".repeat(50_000)])(
    "is always off the record: %.30s",
    (text) => {
      const userMessages = messages([...Array(400).fill("I like tea"), offTheRecord(text)]);
      expect(readUserInput({ messages: userMessages, userMessages })).toBe("private");
    },
  );

  it("is marked once", () => {
    expect(offTheRecord(offTheRecord("Hi"))).toBe(`${OFF_THE_RECORD} Hi`);
  });

  it("concerns only its turn", () => {
    const [before, said] = messages([offTheRecord("I live in Oslo"), "I like tea"]);
    if (before === undefined || said === undefined) throw new Error("There are two messages.");
    expect(readUserInput({ messages: [before, said], userMessages: [said] })).toMatchObject({
      said: ["I like tea"],
    });
  });
});

describe("a request for what follows", () => {
  const standing = [
    "From now on, don't save anything I tell you.",
    "For the rest of this conversation, don't store what I say.",
    "Ab jetzt bitte nichts mehr speichern.",
    "À partir de maintenant, n'enregistre plus rien.",
    "A partir de ahora no registres nada de lo que diga.",
    "С этого момента ничего не сохраняй.",
    "从现在开始什么都不要保存。",
    "지금부터는 아무것도 저장하지 마.",
  ];

  it.each(standing)("holds for later turns: %s", (request) => {
    expect(isOffRecord(["I live in Oslo"], ["Hi", request, "I like tea", "thanks"])).toBe(true);
  });

  test.each([
    "You may remember again.",
    "ok, you can save things again: I like tea",
    "You can turn memory back on now.",
    "Du darfst dir wieder alles merken.",
    "Tu peux enregistrer à nouveau.",
    "Puedes volver a guardar cosas.",
    "Можешь снова запоминать.",
  ])("ends with a permission: %s", (permission) => {
    expect(isOffRecord(["I live in Oslo"], [standing[0] ?? "", permission])).toBe(false);
    expect(isOffRecord([permission], [standing[0] ?? ""])).toBe(false);
  });

  it("can be made again", () => {
    expect(
      isOffRecord(["I live in Oslo"], [standing[0] ?? "", "You may remember again.", standing[1] ?? ""]),
    ).toBe(true);
  });

  it.each(["Please don't save that.", "From now on, answer in French.", "Until I say otherwise, use euros."])(
    "isn't %s",
    (text) => {
      expect(isOffRecord(["I live in Oslo"], [text])).toBe(false);
    },
  );

  it("is found in the history of a run, but not in messages of timers", () => {
    const request = { role: "user", content: standing[0] ?? "" } as const;
    const reply = { role: "assistant", content: "Fine." } as const;
    const said = { role: "user", content: "I live in Oslo" } as const;
    expect(readUserInput({ messages: [request, reply, said], userMessages: [said] })).toBe("private");
    const byTimer = { ...request, from: "timer" } as const;
    expect(readUserInput({ messages: [byTimer, reply, said], userMessages: [said] })).toMatchObject({
      said: ["I live in Oslo"],
    });
  });
});

describe("a request that takes back what was said", () => {
  it.each([
    "Oops, wrong window. Forget what I just said.",
    "Forget that.",
    "Vergiss, was ich gerade gesagt habe.",
  ])("covers the messages before it in the turn: %s", (request) => {
    expect(isOffRecord(["I live in Oslo", request], [])).toBe(true);
  });
});
