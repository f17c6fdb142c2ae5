import { expect } from "vitest";
import { conversationCursor } from "../../../codec/query.ts";
import type { Result } from "../../../contract/errors.ts";
import type { ConversationMemory, MemoryQuery } from "../../../contract/provider.ts";
import { expectInvalid, expectOk, ids, readConversation } from "../../fixtures/expectations.ts";
import { append, hostile, users } from "../../fixtures/messages.ts";
import { forEachConcurrently, nextInstant } from "../../fixtures/timing.ts";
import { defineSpec, inputLimits, type Scenario } from "../../kit/spec.ts";

type Provider = Scenario["provider"];

const find = async (provider: Provider, query: MemoryQuery): Promise<readonly string[]> =>
  ids(expectOk(await provider.findConversations(query)));

/** Stores the conversations `a`, `b` and `c` in this order, at different times. */
async function storeThree(provider: Provider): Promise<void> {
  for (const id of ["a", "b", "c"]) {
    expectOk(await provider.storeMessages(id, users(id)));
    await nextInstant();
  }
}

export const findConversations = defineSpec(
  {
    level: "contract",
    subject: "findConversations",
    why: "A user's list of chats lacks some, or shows additional ones.",
    hint: "find(): all conditions must match, newest activity first, both time bounds inclusive.",
  },
  {
    "finds nothing in an empty store": async ({ provider }) => {
      for (const query of [{}, { userId: "u" }, { traceId: "t" }, { conversationId: "c" }]) {
        expect(await find(provider, query)).toEqual([]);
      }
    },

    "returns the same data as getConversation": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2"), { userId: "u", traceId: "t", topic: "x" }));
      const conversation = await readConversation(provider, "c");
      for (const query of [{}, { userId: "u" }, { traceId: "t" }, { conversationId: "c" }]) {
        expect(expectOk(await provider.findConversations(query))).toEqual([conversation]);
      }
    },

    "finds by owner": async ({ provider }) => {
      expectOk(await provider.storeMessages("a", users("1"), { userId: "alice" }));
      expectOk(await provider.storeMessages("b", users("1"), { userId: "bob" }));
      expectOk(await provider.storeMessages("none", users("1")));
      expect(await find(provider, { userId: "alice" })).toEqual(["a"]);
      expect(await find(provider, { userId: "bob" })).toEqual(["b"]);
      expect(await find(provider, { userId: "carol" })).toEqual([]);
    },

    "finds by every trace that ever wrote, not only by the last": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { traceId: "t-1" }));
      expectOk(await provider.appendMessages("c", users("2"), { traceId: "t-2" }));
      expectOk(await provider.appendMessages("c", [], { traceId: "t-3" }));
      expectOk(await provider.appendMessages("c", users("4"), {}, { maxMessages: 1 }));
      expectOk(await provider.storeMessages("c", users("5"), { traceId: "t-4" }));
      expectOk(await provider.storeMessages("other", users("1"), { traceId: "t-2" }));
      for (const traceId of ["t-1", "t-3", "t-4"]) expect(await find(provider, { traceId })).toEqual(["c"]);
      expect(new Set(await find(provider, { traceId: "t-2" }))).toEqual(new Set(["c", "other"]));
      expect(await find(provider, { traceId: "t-5" })).toEqual([]);
    },

    "finds by id": async ({ provider }) => {
      await storeThree(provider);
      expect(await find(provider, { conversationId: "b" })).toEqual(["b"]);
      expect(await find(provider, { conversationId: "d" })).toEqual([]);
    },

    "finds conversations that match all conditions": async ({ provider }) => {
      expectOk(await provider.storeMessages("a", users("1"), { userId: "alice", traceId: "t-1" }));
      expectOk(await provider.storeMessages("b", users("1"), { userId: "alice", traceId: "t-2" }));
      expectOk(await provider.storeMessages("c", users("1"), { userId: "bob", traceId: "t-1" }));
      const { lastActivity } = (await readConversation(provider, "a")).metadata;
      expect(await find(provider, { userId: "alice", traceId: "t-1" })).toEqual(["a"]);
      expect(await find(provider, { userId: "alice", conversationId: "c" })).toEqual([]);
      expect(await find(provider, { traceId: "t-2", conversationId: "b", userId: "alice" })).toEqual(["b"]);
      const early = new Date(lastActivity.getTime() - 1);
      expect(await find(provider, { userId: "alice", traceId: "t-1", until: early })).toEqual([]);
    },

    "lists the newest activity first": async ({ provider }) => {
      await storeThree(provider);
      expect(await find(provider, {})).toEqual(["c", "b", "a"]);
      expectOk(await provider.appendMessages("a", users("again")));
      expect(await find(provider, {})).toEqual(["a", "c", "b"]);
    },

    "finds by time of last activity, both bounds included": async ({ provider }) => {
      await storeThree(provider);
      const { lastActivity } = (await readConversation(provider, "b")).metadata;
      const shifted = (milliseconds: number) => new Date(lastActivity.getTime() + milliseconds);
      expect(await find(provider, { since: lastActivity })).toEqual(["c", "b"]);
      expect(await find(provider, { until: lastActivity })).toEqual(["b", "a"]);
      expect(await find(provider, { since: lastActivity, until: lastActivity })).toEqual(["b"]);
      expect(await find(provider, { since: shifted(1) })).toEqual(["c"]);
      expect(await find(provider, { until: shifted(-1) })).toEqual(["a"]);
      expect(await find(provider, { since: shifted(1), until: shifted(-1) })).toEqual([]);
    },

    "leaves out only the messages if requested": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2"), { userId: "u", topic: "x" }));
      const whole = await readConversation(provider, "c");
      const [found] = expectOk(await provider.findConversations({ userId: "u", includeMessages: false }));
      expect(found).toEqual({ ...whole, messages: [] });
      const [complete] = expectOk(await provider.findConversations({ userId: "u", includeMessages: true }));
      expect(complete).toEqual(whole);
    },
  },
);

export const findLimits = defineSpec(inputLimits("findConversations"), {
  "accepts the earliest and latest dates": async ({ provider }) => {
    await storeThree(provider);
    const first = new Date(-8.64e15);
    const last = new Date(8.64e15);
    expect(await find(provider, { since: first, until: last })).toEqual(["c", "b", "a"]);
    expect(await find(provider, { since: last })).toEqual([]);
    expect(await find(provider, { until: first })).toEqual([]);
  },

  "refuses an invalid query": async ({ provider }) => {
    for (const query of [undefined, null, "query", 5, true, [], () => ({})]) {
      await expectInvalid(() => provider.findConversations(hostile(query)));
    }
  },

  "refuses an undefined id and an unknown field, instead of finding all users' conversations": async ({
    provider,
  }) => {
    expectOk(await provider.storeMessages("a", users("1"), { userId: "alice" }));
    const widened = { userId: undefined, traceId: undefined, conversationId: undefined, userID: "alice" };
    for (const [field, value] of Object.entries(widened)) {
      await expectInvalid(() => provider.findConversations(hostile({ [field]: value })), `query.${field}`);
    }
  },

  "refuses invalid dates": async ({ provider }) => {
    for (const date of [new Date(Number.NaN), "2026-01-01", 0, null, {}]) {
      await expectInvalid(() => provider.findConversations({ since: hostile(date) }), "query.since");
      await expectInvalid(() => provider.findConversations({ until: hostile(date) }), "query.until");
    }
  },

  "refuses an includeMessages that isn't a boolean": async ({ provider }) => {
    for (const value of ["no", 0, null]) {
      const query = { includeMessages: hostile(value) };
      await expectInvalid(() => provider.findConversations(query), "query.includeMessages");
    }
  },
});

const COUNT = 14;
const TRACED = { traceId: "t" };

const indices: readonly number[] = Array.from({ length: COUNT }, (_, index) => index);

const idOf = (index: number): string => `c-${index}`;
const ownerOf = (index: number): string => (index % 4 === 2 ? "v" : "u");
const isTraced = (index: number): boolean => index % 5 !== 3;

/** Makes the writes in pairs, one pair after the other. The two writes of a pair are made at the same time. */
async function inPairs(
  order: readonly number[],
  write: (index: number) => Promise<Result<void>>,
): Promise<void> {
  // So only the two conversations of a pair have nearly the same time of last activity.
  for (let at = 0; at < order.length; at += 2) {
    for (const written of await Promise.all(order.slice(at, at + 2).map(write))) expectOk(written);
    await nextInstant();
  }
}

/** Stores conversations in one order, and then writes to them in the opposite order. */
async function storeSome(provider: Scenario["provider"]): Promise<void> {
  // So the order of last activity differs from the order of creation.
  await inPairs(indices.toReversed(), (index) => {
    const metadata = { userId: ownerOf(index), ...(isTraced(index) ? TRACED : {}) };
    return append(provider, idOf(index), users("1"), metadata);
  });
  await inPairs(indices, (index) => provider.appendMessages(idOf(index), []));
}

type Stored = readonly ConversationMemory[];

const timeOf = (conversation: ConversationMemory | undefined): number =>
  conversation?.metadata?.lastActivity.getTime() ?? expect.fail("expected a conversation with metadata");

const cursorAfter = (conversation: ConversationMemory | undefined): string =>
  (conversation && conversationCursor(conversation)) ?? expect.fail("expected a conversation with metadata");

/** Returns all combinations of the choices, each with one choice for every name. */
const combinations = (choices: Readonly<Record<string, readonly MemoryQuery[]>>): readonly MemoryQuery[] =>
  Object.values(choices).reduce<readonly MemoryQuery[]>(
    (queries, options) => queries.flatMap((query) => options.map((option) => ({ ...query, ...option }))),
    [{}],
  );

/** Returns queries with all kinds of conditions. `all` contains all conversations, newest first. */
function queriesAbout(all: Stored): readonly MemoryQuery[] {
  // If a store ignores one of the conditions, most of the queries return a wrong result.
  const byId = [0, 6, COUNT - 1].map((at) => ({ conversationId: all[at]?.conversationId ?? "" }));
  return combinations({
    conversationId: [{}, ...byId],
    userId: [{}, { userId: "u" }],
    traceId: [{}, TRACED],
    since: [{}, { since: new Date(timeOf(all[COUNT - 3])) }],
    until: [{}, { until: new Date(timeOf(all[3])) }],
    cursor: [{}, { cursor: cursorAfter(all[1]) }, { cursor: cursorAfter(all[4]) }],
    offset: [{}, { offset: 1 }],
    limit: [{}, { limit: 2 }],
  });
}

/** Returns the ids that a query must find, in the order of `all`. */
function expected(all: Stored, query: MemoryQuery): readonly string[] {
  const { conversationId, userId, traceId, since, until, cursor, offset = 0, limit = all.length } = query;
  const start = all.findIndex((conversation) => conversationCursor(conversation) === cursor) + 1;
  const found = all
    .slice(cursor === undefined ? 0 : start)
    .filter(
      (conversation) =>
        (conversationId === undefined || conversation.conversationId === conversationId) &&
        (userId === undefined || conversation.userId === userId) &&
        (traceId === undefined || conversation.metadata?.["traceId"] === traceId) &&
        (since === undefined || timeOf(conversation) >= since.getTime()) &&
        (until === undefined || timeOf(conversation) <= until.getTime()),
    );
  return ids(found.slice(offset, offset + limit));
}

export const combinedQueries = defineSpec(
  {
    level: "contract",
    subject: "findConversations, all together",
    why: "A filtered list of chats repeats a page for ever, or shows chats that don't match the filter.",
    hint: "find(): one way for every query, whichever index it begins with: conditions, order, cursor, offset, limit.",
  },
  {
    "holds to every combination of conditions, cursor, offset and limit": async ({ provider }) => {
      await storeSome(provider);
      const all = expectOk(await provider.findConversations({}));
      expect(all).toHaveLength(COUNT);
      expect(all.map(timeOf), "newest first").toEqual(all.map(timeOf).toSorted((a, b) => b - a));
      await forEachConcurrently(queriesAbout(all), async (query) => {
        const found = expectOk(await provider.findConversations({ ...query, includeMessages: false }));
        expect(ids(found), JSON.stringify(query)).toEqual(expected(all, query));
      });
    },
  },
);
