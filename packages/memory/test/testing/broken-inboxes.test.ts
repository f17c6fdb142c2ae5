import { describe, expect, it } from "vitest";
import { createInMemoryInbox, type Inbox, type InboxEntry, type Result } from "../../src/index.ts";
import { concurrencyRules } from "../../src/testing/inbox/concurrency-rules.ts";
import { entryRules, removalRules } from "../../src/testing/inbox/entry-rules.ts";
import { erasureRules } from "../../src/testing/inbox/erasure-rules.ts";
import { keyRules } from "../../src/testing/inbox/key-rules.ts";
import { refusalRules } from "../../src/testing/inbox/refusal-rules.ts";
import type { InboxScenario } from "../../src/testing/inbox/scenario.ts";
import { valueRules } from "../../src/testing/inbox/value-rules.ts";
import { waitingRules } from "../../src/testing/inbox/waiting-rules.ts";

const rules = {
  ...entryRules,
  ...removalRules,
  ...keyRules,
  ...concurrencyRules,
  ...waitingRules,
  ...valueRules,
  ...erasureRules,
  ...refusalRules,
};

type Broken = (inbox: Inbox) => Partial<Inbox>;

const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Changes the entries that a read returns. */
const reading =
  (change: (entries: readonly InboxEntry[]) => readonly InboxEntry[]): Broken =>
  (inbox) => ({
    read: async (query) => {
      const found = await inbox.read(query);
      return found.success ? { ...found, data: change(found.data) } : found;
    },
  });

/** Some entries become visible only after later ones, as with a plain sequence and transactions. */
const lateEntries: Broken = (inbox) => {
  const late = new Set<string>();
  let puts = 0;
  return {
    put: async (entry) => {
      const isLate = puts++ % 5 === 0;
      if (isLate) late.add(entry.key);
      const answer = await inbox.put(entry);
      if (isLate) await pause();
      late.delete(entry.key);
      return answer;
    },
    ...reading((entries) => entries.filter(({ key }) => !late.has(key)))(inbox),
  };
};

/** Mistakes of an adapter, and a rule that finds each. */
const mistakes: Readonly<Record<string, readonly [rule: keyof typeof rules, broken: Broken]>> = {
  "sorts entries by their keys": [
    "returns entries as they were put, in their order",
    reading((entries) => entries.toSorted((a, b) => (a.content < b.content ? -1 : 1))),
  ],
  "shows entries late": [
    "shows a reader who reads on each entry once and in order, while several clients put",
    lateEntries,
  ],
  "removes entries that no one has read": [
    "gives a reader who removes each entry once, while several clients put",
    (inbox) => ({
      remove: async ({ conversationId }) => {
        const all = await inbox.read({ conversationId, limit: 10_000 });
        const upTo = all.success ? all.data.at(-1)?.cursor : undefined;
        return inbox.remove({ conversationId, upTo: upTo ?? "none" });
      },
    }),
  ],
  "includes the entry at the cursor": [
    "reads after a cursor, up to a limit",
    (inbox) => ({
      read: async ({ after: _, ...query }) => inbox.read(query),
    }),
  ],
  "forgets keys with their entries": [
    "knows the key of a removed entry",
    (inbox) => ({
      put: async (entry) => {
        const known = await inbox.put(entry);
        if (!known.success || known.data.isNew) return known;
        const entries = await inbox.read({ conversationId: entry.conversationId, limit: 10_000 });
        const waits = entries.success && entries.data.some(({ key }) => key === entry.key);
        return waits ? known : inbox.put({ ...entry, key: crypto.randomUUID() });
      },
    }),
  ],
  "never forgets a key": [
    "knows a key for 24 hours",
    (inbox) => {
      const known = new Map<string, Awaited<ReturnType<Inbox["put"]>>>();
      return {
        put: async (entry) => {
          const earlier = known.get(entry.key);
          if (earlier?.success) return { success: true, data: { ...earlier.data, isNew: false } };
          const answer = await inbox.put(entry);
          known.set(entry.key, answer);
          return answer;
        },
      };
    },
  ],
  "checks a key and then puts": [
    "stores an entry once if it arrives eight times at the same time",
    (inbox) => ({
      put: async (entry) => {
        const known = await inbox.read({ conversationId: entry.conversationId });
        await pause();
        const found = known.success ? known.data.find(({ key }) => key === entry.key) : undefined;
        if (found !== undefined) return { success: true, data: { cursor: found.cursor, isNew: false } };
        return inbox.put({ ...entry, key: crypto.randomUUID() });
      },
    }),
  ],
  "has no limit": [
    "refuses a new entry if the inbox is full, with an error that can be retried",
    (inbox) => ({
      put: async (entry) => {
        const answer = await inbox.put(entry);
        return answer.success ? answer : { success: true, data: { cursor: "x:1", isNew: true } };
      },
    }),
  ],
  "lists the latest first": [
    "lists conversations whose inbox isn't empty, the one that has waited longest first",
    (inbox) => ({
      waiting: async (query) => {
        const found = await inbox.waiting(query);
        return found.success ? { ...found, data: found.data.toReversed() } : found;
      },
    }),
  ],
  "ignores the user of a query": [
    "lists only a user's conversations, whatever the id",
    (inbox) => ({ waiting: ({ userId: _, ...query } = {}) => inbox.waiting(query) }),
  ],
  "cuts long contents": [
    "keeps contents of a megabyte",
    (inbox) => ({ put: (entry) => inbox.put({ ...entry, content: entry.content.slice(0, 65_535) }) }),
  ],
  "compares keys without regard to case": [
    "keeps hostile keys of one conversation apart",
    (inbox) => ({ put: (entry) => inbox.put({ ...entry, key: entry.key.toLowerCase() }) }),
  ],
  "only empties an erased inbox": [
    "erases a conversation's inbox with its keys",
    (inbox) => ({
      deleteConversation: async (conversationId): Promise<Result<number>> => {
        const all = await inbox.read({ conversationId, limit: 10_000 });
        const upTo = all.success ? all.data.at(-1)?.cursor : undefined;
        return inbox.remove({ conversationId, upTo: upTo ?? "none" });
      },
    }),
  ],
  "numbers an erased inbox from the beginning": [
    "puts the cursor of an erased inbox before all entries",
    (inbox) => {
      const numberOf = (cursor: string | undefined) => Number(cursor?.split(":").at(-1) ?? 0);
      return {
        read: async ({ after, ...query }) => {
          const all = await inbox.read({ ...query, limit: 10_000 });
          if (!all.success) return all;
          const later = all.data.filter(({ cursor }) => numberOf(cursor) > numberOf(after));
          return { ...all, data: later.slice(0, query.limit ?? 100) };
        },
      };
    },
  ],
  "keeps its first user": [
    "begins a new inbox with a put of another user",
    (inbox) => {
      const users = new Map<string, string>();
      return {
        put: (entry) => {
          const userId = users.get(entry.conversationId) ?? entry.userId;
          users.set(entry.conversationId, userId);
          return inbox.put({ ...entry, userId });
        },
      };
    },
  ],
  "keeps the keys of a former user": [
    "begins a new inbox with a put of another user, also if the inbox is empty",
    (inbox) => {
      const known = new Set<string>();
      return {
        put: async (entry) => {
          const answer = await inbox.put(entry);
          const isNew = !known.has(entry.key);
          known.add(entry.key);
          return answer.success ? { ...answer, data: { ...answer.data, isNew } } : answer;
        },
      };
    },
  ],
  "keeps the entries of a former user": [
    "has entries of one user only, while two users put",
    (inbox) => {
      const users = new Map<string, string>();
      return {
        put: async (entry) => {
          const key = `${entry.userId} ${entry.key}`;
          const answer = await inbox.put({ ...entry, key, userId: "u" });
          if (answer.success) users.set(answer.data.cursor, entry.userId);
          return answer;
        },
        ...reading((entries) =>
          entries.map((entry) => ({ ...entry, userId: users.get(entry.cursor) ?? entry.userId })),
        )(inbox),
      };
    },
  ],
  "continues after close": [
    "fails after close, and closes twice",
    () => ({ close: async () => ({ success: true, data: undefined }) }),
  ],
};

function scenario(broken: Broken): InboxScenario {
  let aheadMs = 0;
  const working = createInMemoryInbox({ now: () => Date.now() + aheadMs });
  const inbox = { ...working, ...broken(working) };
  const age = async (seconds: number) => {
    aheadMs += seconds * 1_000;
  };
  return { inbox, other: inbox, connect: async () => inbox, age };
}

describe("the kit for inboxes", () => {
  it.each(Object.entries(mistakes))("finds an inbox that %s", async (_, [rule, broken]) => {
    await expect(rules[rule]?.(scenario(() => ({})))).resolves.toBeUndefined();
    await expect(rules[rule]?.(scenario(broken))).rejects.toThrow();
  });
});
