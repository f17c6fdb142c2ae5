import type { Message } from "@jaf/memory";
import { MemoryUserMemory } from "@jaf/user-memory";
import { describe, expect, it } from "vitest";
import { answerFromHistory } from "../src/assistant/answers.ts";
import { predicatesIn } from "../src/assistant/predicates.ts";
import { requestsOf } from "../src/assistant/requests.ts";
import { pageRequestOf } from "../src/page/page-requests.ts";
import { talkingOffline } from "./support/offline-chat.ts";
import { SEEN_FOREIGN, UNSEEN_FOREIGN } from "./tables/eve.ts";

/** What the last of the texts is answered. */
const answered = (...texts: string[]): string =>
  answerFromHistory(texts.map((content): Message => ({ role: "user", content })));

describe("a name", () => {
  it.each([
    "My name is Eve now.",
    "My name is now Eve.",
    "Call me Eve from now on.",
    "I'm called Eve, actually.",
    "I’ve changed my name to Eve.",
    "My name has changed to Eve.",
    "I go by Eve these days.",
    "You can call me Eve",
  ])("may change: %j", (text) => {
    expect(answered("My name is Ada.", text)).toBe("I see, Eve: not Ada any more.");
    expect(answered("My name is Ada.", text, "What is my name now?")).toBe("Your name is Eve.");
  });

  it.each(["Don't call me Eve.", "They call me Eve.", "My name is no longer Ada.", "Call me back tomorrow"])(
    "is none where nobody states it: %j",
    (text) => expect(answered(text, "What's my name?")).toBe("You haven't told me your name yet."),
  );
});

describe("what is stated by I", () => {
  it.each([
    [["I live in Paris."], "I see: you live in Paris."],
    [["I live in Paris.", "Where do I live?"], "You live in Paris."],
    [["I live in Paris.", "I moved to Rome.", "Where do I live?"], "You moved to Rome."],
    [["I live in Paris.", "Do you know where I live?"], "You live in Paris."],
    [["I'm living in Lyon now", "What's my city?"], "You are living in Lyon now."],
    [
      ["I live in Paris.", "I don't live in Paris any more.", "where do i live"],
      "You don't live in Paris any more.",
    ],
    [["I work at Acme.", "What's my job?"], "You work at Acme."],
    [["I work as a nurse", "What do I do?"], "You work as a nurse."],
    [["I am allergic to nuts", "What am I allergic to?"], "You are allergic to nuts."],
    [["I'm 36 years old.", "How old am I?"], "You are 36 years old."],
    [["I was born in Porto.", "Where was I born?"], "You were born in Porto."],
    [["I like tea", "I like my dog", "What do I like?"], "You like tea, and you like your dog."],
    [["I'm Ada.", "What's my name?"], "You are Ada."],
    [["My dog is Rex", "What's my dog's name?"], "Your dog's name is Rex."],
    [["Where do I live?"], "You haven't told me that yet."],
  ])("is told back: %j", (texts, answer) => expect(answered(...texts)).toBe(answer));

  it("is told back from what is remembered, the newest of it", () => {
    const remembered = [
      { words: "I live in Paris.", day: "2026-11-02" },
      { words: "I moved to Rome.", day: "2026-11-03" },
    ];
    const asked: Message[] = [{ role: "user", content: "Where do I live?" }];
    expect(answerFromHistory(asked, remembered)).toBe("You moved to Rome, as you said on 2026-11-03.");
    const onOneDay = remembered.map(({ words }) => ({ words, day: "2026-11-02" }));
    expect(answerFromHistory(asked, onOneDay)).toBe(
      "You live in Paris, and you moved to Rome, as you said on 2026-11-02.",
    );
    const here: Message[] = [{ role: "user", content: "I moved to Oslo." }, ...asked];
    expect(answerFromHistory(here, remembered)).toBe("You moved to Oslo.");
  });

  it.each([
    "The page says: I live in Rome.",
    "> I live in Rome.",
    'She said "I live in Rome."',
    "Translate this: I live in Rome.",
    "My password is hunter2 and I live at hunter2.",
    "I think so.",
    "I have a question.",
    "I said nothing.",
    "Do I live in Rome?",
    "If I live in Rome, what then?",
    ...SEEN_FOREIGN,
    ...UNSEEN_FOREIGN,
  ])("is nothing of %j", (text) => {
    expect(predicatesIn([text]).filter((one) => /Rome|Eve|hunter2|said|think|question/.test(one))).toEqual(
      [],
    );
  });
});

describe("a request not to keep something", () => {
  it.each([
    "Please don't remember that I like fish.",
    "Don't remember this: my bird is Kiwi.",
    "Never store my dog's name, it is Rex.",
    "My cat is Tom, but don't save it.",
    "Please do not note that I am ill.",
    "Off the record, I smoke.",
    "Don't remember my name.",
  ])("is acknowledged, and kept: %j", async (text) => {
    expect(answered(text)).toMatch(
      /^All right: nothing of this message becomes something I know about you\./,
    );
    expect(requestsOf(text)).toEqual([]);
    const memory = new MemoryUserMemory();
    await talkingOffline(memory)(text);
    expect(await memory.list("ada", { status: ["active", "quarantined"] })).toEqual([]);
  });

  it("isn't every one with such words", () => {
    expect(answered("Don't forget my birthday.")).not.toContain("All right");
    expect(answered("I don't remember my dreams.")).not.toContain("All right");
  });

  it.each(["Forget my name.", "Please forget everything you know about me", "Can you forget where I live?"])(
    "what was kept before is for the person to forget: %j",
    (text) => {
      expect(answered("My name is Ada.", text)).toContain("/forget-fact N");
      const onPage = answerFromHistory([{ role: "user", content: text }], [], { surface: "page" });
      expect(onPage).toContain("“What I know about you”");
      expect(onPage).not.toContain("/forget");
    },
  );
});

describe("the time elsewhere", () => {
  it.each([
    ["what time is it in paris", "Europe/Paris"],
    ["What's the time in New York right now?", "America/New_York"],
    ["What time is it in São Paulo and what is 1 + 1?", "America/Sao_Paulo"],
    ["What time is it in Atlantis?", "Atlantis"],
    ["What time is it in the morning?", undefined],
  ])("is asked for as %j", (text, timeZone) => {
    expect(requestsOf(text)[0]).toEqual({ tool: "clock", args: timeZone === undefined ? {} : { timeZone } });
  });

  it("isn't told as the time here where the place isn't known", async () => {
    expect(await talkingOffline()("What time is it in Atlantis?")).toMatch(
      /I don't know the time zone of Atlantis\. Name a large city near it/,
    );
  });
});

describe("a timer", () => {
  it.each([
    ["Set a timer for 90 seconds", 90],
    ["set a timer for 5 minutes", 300],
    ["Set a timer for 1 minute 30 seconds", 90],
    ["Please start a 5-minute timer", 300],
    ["set a timer for half an hour", 1_800],
    ["Start a timer of 10 s", 10],
    ["Set a timer for 1.5 minutes", 90],
    ["timer 120s", 120],
  ])("is set by %j", (text, seconds) => {
    expect(pageRequestOf(text)).toEqual({ tool: "timer", args: { seconds } });
  });

  it.each([
    "Set a timer",
    "The timer is 5 seconds late",
    "I set a timer for 5 seconds",
    "A good timer costs 5 m",
  ])("isn't set by %j", (text) => expect(pageRequestOf(text)).toBeUndefined());
});
