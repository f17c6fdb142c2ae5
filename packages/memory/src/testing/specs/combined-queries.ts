import { expect } from "vitest";
import { conversationCursor } from "../../codec/cursor.ts";
import type { ConversationMemory, MemoryQuery } from "../../provider.ts";
import type { Result } from "../../result.ts";
import { expectOk, ids } from "../expectations.ts";
import { forEachConcurrently } from "../for-each-concurrently.ts";
import { users } from "../messages.ts";
import { defineSpec, type Scenario } from "../spec.ts";
import { nextInstant } from "../time.ts";
import { append } from "../writes.ts";

const COUNT = 14;
const TRACED = { traceId: "t" };

const indices: readonly number[] = Array.from({ length: COUNT }, (_, index) => index);

const idOf = (index: number): string => `c-${index}`;
const ownerOf = (index: number): string => (index % 4 === 2 ? "v" : "u");
const isTraced = (index: number): boolean => index % 5 !== 3;

/** Two at once, and then the next two: some of about equal times, and most not. */
async function inPairs(
  order: readonly number[],
  write: (index: number) => Promise<Result<void>>,
): Promise<void> {
  for (let at = 0; at < order.length; at += 2) {
    for (const written of await Promise.all(order.slice(at, at + 2).map(write))) expectOk(written);
    await nextInstant();
  }
}

/** Their last activity is in neither the order of their creation nor that of their traces. */
async function storeSome(provider: Scenario["provider"]): Promise<void> {
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

/** Every combination of a choice for each name. */
const combinations = (choices: Readonly<Record<string, readonly MemoryQuery[]>>): readonly MemoryQuery[] =>
  Object.values(choices).reduce<readonly MemoryQuery[]>(
    (queries, options) => queries.flatMap((query) => options.map((option) => ({ ...query, ...option }))),
    [{}],
  );

/** Chosen so that leaving out any part of most of them shows. `all` is what there is, newest first. */
function queriesAbout(all: Stored): readonly MemoryQuery[] {
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

/** What a query has to find, by the order of all. */
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
    why: "A filtered list of chats repeats a page for ever, or shows what the filter leaves out.",
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
