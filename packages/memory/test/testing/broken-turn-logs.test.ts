import { describe, expect, it } from "vitest";
import { createSuccess } from "../../src/contract/errors.ts";
import { endingRules, expiryRules } from "../../src/testing/turn-log/ending-rules.ts";
import { erasureRules } from "../../src/testing/turn-log/erasure-rules.ts";
import { eventRules } from "../../src/testing/turn-log/event-rules.ts";
import { findingRules, refusalRules } from "../../src/testing/turn-log/finding-rules.ts";
import { beginningRules, writerRules } from "../../src/testing/turn-log/writer-rules.ts";
import { createInMemoryTurnLog } from "../../src/turn-log/in-memory.ts";
import type { TurnLog, TurnWriter } from "../../src/turn-log/turn-log.ts";

const rules = {
  ...beginningRules,
  ...eventRules,
  ...writerRules,
  ...endingRules,
  ...expiryRules,
  ...findingRules,
  ...erasureRules,
  ...refusalRules,
};

type Broken = (log: TurnLog) => Partial<TurnLog>;

/** Ignores which writer calls: any caller counts as the current writer. */
function withoutTokens(log: TurnLog): Partial<TurnLog> {
  const current = new Map<string, TurnWriter>();
  const keep = (writer: TurnWriter) => current.set(writer.conversationId, writer);
  const latest = (writer: TurnWriter) => current.get(writer.conversationId) ?? writer;
  return {
    begin: async (turn) => {
      const begun = await log.begin(turn);
      if (begun.success && begun.data.begun) keep(begun.data.writer);
      return begun;
    },
    takeOver: async (turn) => {
      const taken = await log.takeOver(turn);
      if (taken.success && taken.data !== null) keep(taken.data.writer);
      return taken;
    },
    append: (added) => log.append({ ...added, writer: latest(added.writer) }),
  };
}

/** Mistakes of a backend, and a rule that finds each. */
const mistakes: Readonly<Record<string, readonly [rule: keyof typeof rules, broken: Broken]>> = {
  "knows a turn's writer by the turn alone": [
    "stores nothing of a writer after its turn was taken over",
    withoutTokens,
  ],
  "lets two begin at the same time": [
    "lets one of eight begin",
    (log) => {
      const asked = new Set<string>();
      return {
        begin: async (turn) => {
          const isFirst = asked.size === 0;
          asked.add(turn.turnId);
          return isFirst
            ? log.begin(turn)
            : createSuccess({ begun: true, writer: { ...turn, token: crypto.randomUUID() } });
        },
      };
    },
  ],
  "fills a gap with the next events": [
    "refuses a gap, and stores nothing of it",
    (log) => ({
      append: async (added) => {
        const answer = await log.append(added);
        if (answer.success) return answer;
        return createSuccess({ held: true, stopRequested: false });
      },
    }),
  ],
  "finds turns of any user": [
    "finds a user's turns by their state, the latest first, and never another user's",
    (log) => ({ begin: (turn) => log.begin({ ...turn, userId: "u" }) }),
  ],
  "compares ids without regard to case": [
    "keeps hostile ids apart",
    (log) => ({
      begin: (turn) => log.begin({ ...turn, userId: turn.userId.toLowerCase() }),
      find: (query, limit) => log.find({ ...query, userId: query.userId.toLowerCase() }, limit),
    }),
  ],
  "forgets stop requests": [
    "reports a stop request to the writer, and to one that takes over",
    () => ({ requestStop: async () => createSuccess(true) }),
  ],
  "erases a conversation in name only": [
    "erases a conversation, even with a running turn",
    () => ({ deleteConversation: async () => createSuccess(2) }),
  ],
  "erases a user's turns in name only": [
    "erases all turns of a user, and no other user's",
    () => ({ deleteUser: async () => createSuccess(2) }),
  ],
  "loses the last append's repetition": [
    "accepts a repeat of the last append after the end",
    (log) => {
      const ended = new Set<string>();
      return {
        append: async (added) => {
          if (ended.has(added.writer.token)) return createSuccess({ held: false });
          if (added.end !== undefined) ended.add(added.writer.token);
          return log.append(added);
        },
      };
    },
  ],
  "ignores release": [
    "gives a released turn to one of eight, with all data to continue",
    () => ({ release: async () => createSuccess(undefined) }),
  ],
  "counts leases from their first second only": [
    "renews the lease by append and renew, even after its end if no other writer took over",
    (log) => ({
      renew: async (writer) => {
        const answer = await log.renew(writer);
        await log.release(writer);
        return answer;
      },
    }),
  ],
  "trims texts": [
    "returns texts exactly",
    (log) => ({
      append: (added) => log.append({ ...added, events: added.events.map((text) => text.trim()) }),
    }),
  ],
};

describe("the kit for turn logs", () => {
  for (const [mistake, [rule, broken]] of Object.entries(mistakes)) {
    it(`finds a log that ${mistake}`, async () => {
      const whole = createInMemoryTurnLog();
      await rules[rule]?.({ log: whole, other: whole });
      const log = createInMemoryTurnLog();
      const faulty = { ...log, ...broken(log) };
      await expect(rules[rule]?.({ log: faulty, other: faulty })).rejects.toThrow();
    });
  }
});
