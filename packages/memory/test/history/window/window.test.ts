import type { Message } from "@jaf/memory";
import { isReplayable, messageWindow, planWindow, tokenWindow } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import { calls, result, said, system, user } from "./window-histories.ts";

const turn = (name: string): Message[] => [
  user(name),
  calls(`${name}1`),
  result(`${name}1`),
  said(`${name} done`),
];
const three = [...turn("a"), ...turn("b"), ...turn("c")];
/** `count` calls with their results. */
const groups = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => [calls(`${index}`), result(`${index}`)]).flat();

describe("messageWindow", () => {
  it("returns the same array if nothing is left out", () => {
    expect(messageWindow(three, { maxMessages: 12 })).toBe(three);
    const greeted = [said("Hello, I am a robot."), user("hi")];
    expect(messageWindow(greeted, { maxMessages: 2 })).toBe(greeted);
    expect(messageWindow([], { maxMessages: 1 })).toEqual([]);
  });

  it("keeps at most the last n messages, starting with a user message", () => {
    for (const maxMessages of [11, 10, 9, 8]) {
      expect(messageWindow(three, { maxMessages })).toEqual(three.slice(4));
    }
    expect(messageWindow(three, { maxMessages: 7 })).toEqual(three.slice(8));
  });

  it("keeps the user message and the newest whole groups of a turn over the limit", () => {
    const history = [...turn("a"), user("long"), ...groups(5)];
    expect(messageWindow(history, { maxMessages: 6 })).toEqual([user("long"), ...groups(5).slice(6)]);
    expect(messageWindow(history, { maxMessages: 5 })).toEqual([user("long"), ...groups(5).slice(6)]);
  });

  it("keeps the end of a turn over the limit when the next one begins", () => {
    const history = [user("long"), ...groups(5), said("Shall I book it?"), user("yes")];
    expect(messageWindow(history, { maxMessages: 5 })).toEqual([
      user("long"),
      ...groups(5).slice(8),
      said("Shall I book it?"),
      user("yes"),
    ]);
  });

  it("never splits a call with many results, even if they exceed the limit", () => {
    const ids = ["1", "2", "3", "4"];
    const history = [user("a"), calls(...ids), ...ids.map((id) => result(id))];
    expect(messageWindow(history, { maxMessages: 5 })).toEqual([user("a")]);
    const plan = planWindow(history, { maxMessages: 5 });
    expect(plan.newestOmitted).toBe(true);
    expect(plan.omitted).toEqual([{ start: 1, end: 6, reason: "long-turn" }]);
    // Results that arrive later don't stay without their call.
    for (let end = 1; end <= history.length; end++) {
      const [first, second] = messageWindow(history.slice(0, end), { maxMessages: 3 });
      expect([first, second?.role]).toEqual([user("a"), end > 1 && end < 4 ? "assistant" : undefined]);
    }
  });

  it("keeps system content first, and counts it", () => {
    const history = [system("Be brief."), ...three];
    expect(messageWindow(history, { maxMessages: 9 })).toEqual([system("Be brief."), ...three.slice(4)]);
    expect(messageWindow(history, { maxMessages: 8 })).toEqual([system("Be brief."), ...three.slice(8)]);
    const late = [...turn("a"), system("Now be long."), ...turn("b")];
    expect(messageWindow(late, { maxMessages: 6 })).toEqual([system("Now be long."), ...turn("b")]);
    const developer = { role: "developer", content: "Be brief." } as unknown as Message;
    expect(messageWindow([developer, ...three], { maxMessages: 5 })).toEqual([developer, ...three.slice(8)]);
  });

  it("prefers the last user message if system content leaves no room", () => {
    const history = [system("one"), system("two"), user("a"), said("b")];
    expect(messageWindow(history, { maxMessages: 2 })).toEqual([system("one"), user("a")]);
    expect(messageWindow(history, { maxMessages: 1 })).toEqual([user("a")]);
    expect(planWindow(history, { maxMessages: 1 }).newestOmitted).toBe(true);
  });

  it("never begins with a tool result, even in a short history", () => {
    expect(messageWindow([result("lost"), user("a")], { maxMessages: 5 })).toEqual([user("a")]);
    expect(messageWindow([system("s"), result("lost"), user("a")], { maxMessages: 5 })).toEqual([
      system("s"),
      user("a"),
    ]);
    expect(messageWindow([result("lost")], { maxMessages: 5 })).toEqual([]);
  });

  it("keeps the newest whole groups of a history without a user message", () => {
    expect(messageWindow(groups(5), { maxMessages: 5 })).toEqual(groups(5).slice(6));
    expect(messageWindow([...groups(5), user("hi")], { maxMessages: 5 })).toEqual([user("hi")]);
  });

  it("reports that nothing fits if not even one group does", () => {
    const plan = planWindow(groups(5), { maxMessages: 1 });
    expect(plan.omitted).toEqual([{ start: 0, end: 10, reason: "no-room" }]);
    expect(plan.newestOmitted).toBe(true);
  });

  it("stays linear in a turn of 100,000 messages", () => {
    const history = [user("long"), ...groups(50_000)];
    for (const options of [{ maxMessages: 21 }, { maxMessages: 50_001, trimTo: 50_000 }]) {
      const { length } = messageWindow(history, options);
      expect(length).toBeGreaterThan(options.maxMessages / 2);
      expect(length).toBeLessThanOrEqual(options.maxMessages);
    }
  });

  it("doesn't change its input", () => {
    const frozen = Object.freeze(three.map((message) => Object.freeze({ ...message })));
    expect(isReplayable(messageWindow(frozen, { maxMessages: 5 }))).toBe(true);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5" as unknown as number])(
    "refuses %s for each limit and names the field",
    (value) => {
      expect(() => messageWindow([], { maxMessages: value })).toThrow(
        /^Invalid message window: maxMessages: /,
      );
      expect(() => tokenWindow([], { maxTokens: value })).toThrow(/^Invalid token window: maxTokens: /);
      expect(() => messageWindow([], { maxMessages: 9, trimTo: value })).toThrow(/window: trimTo: /);
    },
  );

  it("refuses a low mark that isn't below the limit, a negative number of dropped messages, both limits, and an unknown field", () => {
    expect(() => messageWindow([], { maxMessages: 5, trimTo: 5 })).toThrow(TypeError);
    expect(() => tokenWindow([], { maxTokens: 5, trimTo: 6 })).toThrow(/trimTo: expected a number below/);
    expect(() => messageWindow([], { maxMessages: 5, dropped: -1 })).toThrow(/dropped/);
    const both = { maxMessages: 5, maxTokens: 5 };
    expect(() => planWindow([], both)).toThrow(/maxMessages: expected no such field/);
    const misspelt = { maxMessages: 5, trimto: 3 };
    expect(() => messageWindow([], misspelt)).toThrow(/trimto: expected no such field/);
  });
});

describe("tokenWindow", () => {
  const tokenizer = (text: string) => text.length;
  // Each costs its length plus 4 for the message.
  const history = [user("123456"), said("123456"), user("123456"), said("123456")];

  it("keeps the newest messages that fit, whole", () => {
    expect(tokenWindow(history, { maxTokens: 40, tokenizer })).toBe(history);
    expect(tokenWindow(history, { maxTokens: 39, tokenizer })).toEqual(history.slice(2));
    expect(tokenWindow(history, { maxTokens: 20, tokenizer })).toEqual(history.slice(2));
    expect(tokenWindow(history, { maxTokens: 19, tokenizer })).toEqual([user("123456")]);
  });

  it("is empty if not even the user message fits, and reports it", () => {
    const plan = planWindow(history, { maxTokens: 9, tokenizer });
    expect(plan).toEqual({
      messages: [],
      omitted: [{ start: 0, end: 4, reason: "no-room" }],
      newestOmitted: true,
    });
  });

  it("refuses a tokenizer that isn't a function, and one that returns no number", () => {
    const broken = { maxTokens: 9, tokenizer: "o200k" as unknown as () => number };
    expect(() => tokenWindow(history, broken)).toThrow(/^Invalid token window: tokenizer: /);
    expect(() => tokenWindow(history, { maxTokens: 9, tokenizer: () => Number.NaN })).toThrow(
      /^Invalid tokenizer/,
    );
  });
});

describe("planWindow", () => {
  it("returns the omitted messages and why", () => {
    const history = [result("lost"), system("s"), ...turn("a"), user("long"), ...groups(4)];
    const plan = planWindow(history, { maxMessages: 6 });
    expect(plan.messages).toEqual([system("s"), user("long"), ...groups(4).slice(4)]);
    expect(plan.omitted).toEqual([
      { start: 0, end: 1, reason: "orphan-result" },
      { start: 2, end: 6, reason: "older" },
      { start: 7, end: 11, reason: "long-turn" },
    ]);
    expect(plan.newestOmitted).toBe(false);
  });
});
