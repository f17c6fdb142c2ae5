import { type Message, sanitizeConversation } from "@jaf/memory";
import { pendingToolCalls, planWindow, type WindowOptions, windowTailOf } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import { randomFrom } from "../history/mutations.ts";
import { calls, result, said, user } from "../history/window/window-histories.ts";

const TRIALS = 200_000;

type Random = (below: number) => number;

const texts = Array.from({ length: 40 }, (_, n) => "abcdefgh".repeat(n));

/** A user's turn, usually complete. Each turn uses the same ids again. `strays` answer nothing. */
function turn(random: Random, strays: readonly Message[]): readonly Message[] {
  const question = user(texts[random(texts.length)] ?? "");
  const answer = said(texts[1 + random(texts.length - 1)] ?? "");
  switch (random(12)) {
    case 0:
      return [question];
    case 1:
      return [question, calls("0")];
    case 2:
      return [question, calls("0", "1"), result("1"), answer];
    case 3:
      return [question, answer, ...strays];
    case 4:
    case 5:
      return [question, calls("0"), result("0"), calls("0", "1"), result("0"), result("1"), answer];
    case 6:
      return [
        question,
        ...Array.from({ length: random(12) }, () => [calls("0"), result("0")]).flat(),
        answer,
      ];
    default:
      return [question, answer];
  }
}

const turns = (random: Random, count: number, strays: readonly Message[] = []): readonly Message[] =>
  Array.from({ length: count }, () => turn(random, strays)).flat();

/** The next messages of a run: results of open calls, some or none, and turns. */
function nextSaid(random: Random, end: readonly Message[]): readonly Message[] {
  const missing = pendingToolCalls(end)?.missing ?? [];
  const answers = missing.slice(0, random(missing.length + 1)).map(({ id }) => result(id));
  return [...answers, ...turns(random, random(4))];
}

function options(random: Random): WindowOptions {
  const limit = 2 + random(7);
  const low = random(3) === 0 ? undefined : 1 + random(limit - 1);
  const each = 1 + random(30);
  return random(2) === 0
    ? { maxMessages: limit, trimTo: low }
    : { maxTokens: each * limit, trimTo: low && each * low };
}

const resultsIn = (messages: readonly Message[]): number =>
  messages.reduce((count, { role }) => count + (role === "tool" ? 1 : 0), 0);

const callsIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, { tool_calls: made = [] }) => sum + made.length, 0);

/**
 * The two cases in which whole and end are known to differ (docs/context.md), both only in broken histories. First, a
 * much earlier result that answers nothing else is matched with a call that is open or was given up since. Second, a
 * surplus result is matched with a call that was given up.
 */
function isKnownToDiffer(
  before: readonly Message[],
  end: readonly Message[],
  more: readonly Message[],
): boolean {
  const repaired = sanitizeConversation(before);
  if (repaired === before) return false;
  const now = [...end, ...more];
  const repairedNow = sanitizeConversation(now);
  return (
    (resultsIn(before) > resultsIn(repaired) && callsIn(now) > callsIn(repairedNow)) ||
    (callsIn(before) > callsIn(repaired) && resultsIn(now) > resultsIn(repairedNow))
  );
}

function windowOf(messages: readonly Message[], first: number, window: WindowOptions): readonly Message[] {
  const sanitized = sanitizeConversation(messages);
  let positionOf = (index: number): number => first + index;
  if (sanitized !== messages) {
    const positions: number[] = [];
    let next = 0;
    for (const message of sanitized) {
      if (message.role === "user") next = messages.indexOf(message, next) + 1;
      positions.push(first + next - 1);
    }
    positionOf = (index) => positions[index] ?? 0;
  }
  return planWindow(sanitized, { ...window, dropped: first, positionOf }).messages;
}

const areSame = (a: readonly Message[], b: readonly Message[]): boolean =>
  a.length === b.length &&
  a.every((message, index) => message === b[index] || JSON.stringify(message) === JSON.stringify(b[index]));

describe("the end of a conversation", () => {
  it("gives the window of the whole conversation, to the last byte, for any cut", () => {
    const decided = { sliding: 0, steps: 0 };
    for (let seed = 0; decided.sliding + decided.steps < TRIALS; seed++) {
      const random = randomFrom(seed);
      const window = options(random);
      const history = turns(random, 6 + random(20), [result("0")]);
      const dropped = random(3) === 0 ? random(5_000) : 0;
      const end = windowTailOf(window).endOf(history.slice(-10 - random(80)));
      if (!end.decides) continue;
      const more = nextSaid(random, end.messages);
      const before = history.slice(0, history.length - end.messages.length);
      if (isKnownToDiffer(before, end.messages, more)) continue;
      decided[window.trimTo === undefined ? "sliding" : "steps"] += 1;
      const whole = windowOf([...history, ...more], dropped, window);
      const told = windowOf([...end.messages, ...more], dropped + before.length, window);
      if (!areSame(whole, told)) expect({ seed, window, told }).toEqual({ seed, window, told: whole });
    }
    expect(decided.sliding).toBeGreaterThan(TRIALS / 10);
    expect(decided.steps).toBeGreaterThan(TRIALS / 10);
  }, 600_000);
});
