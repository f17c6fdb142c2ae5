import { expect } from "vitest";
import { conversationCursor } from "../../../codec/query.ts";
import type { ConversationMemory, MemoryQuery } from "../../../contract/provider.ts";
import { expectInvalid, expectOk, ids } from "../../fixtures/expectations.ts";
import { hostile, users } from "../../fixtures/messages.ts";
import { nextInstant } from "../../fixtures/timing.ts";
import { defineSpec, inputLimits, type Scenario } from "../../kit/spec.ts";

type Provider = Scenario["provider"];

/** Stores `count` conversations at the same time, and returns their ids. */
async function storeAtOnce(provider: Provider, count: number): Promise<readonly string[]> {
  // Many of them have the same time of last activity.
  const conversationIds = Array.from({ length: count }, (_, index) => `c-${index}`);
  const writes = conversationIds.map((id) => provider.storeMessages(id, users(id), { userId: "u" }));
  for (const written of await Promise.all(writes)) expectOk(written);
  return conversationIds;
}

const page = async (provider: Provider, query: MemoryQuery): Promise<readonly ConversationMemory[]> =>
  expectOk(await provider.findConversations(query));

function cursorAfter(conversations: readonly ConversationMemory[]): string {
  const last = conversations.at(-1);
  const cursor = last && conversationCursor(last);
  return cursor ?? expect.fail("expected a page with a last conversation");
}

function cursorAt(time: number): string {
  const date = new Date(time);
  const metadata = { createdAt: date, updatedAt: date, lastActivity: date, totalMessages: 0 };
  return cursorAfter([{ conversationId: "c", messages: [], metadata }]);
}

async function visitAll(provider: Provider, query: MemoryQuery): Promise<readonly string[]> {
  const visited: string[] = [];
  let found = await page(provider, query);
  while (found.length > 0) {
    visited.push(...ids(found));
    if (visited.length > 1_000) return expect.fail("the pages never end");
    found = await page(provider, { ...query, cursor: cursorAfter(found) });
  }
  return visited;
}

export const paging = defineSpec(
  {
    level: "contract",
    subject: "findConversations, page by page",
    why: "Someone who scrolls through the list of chats sees one twice, or never.",
    hint: "find(): the order has a tie-break that the cursor follows too; limit and offset come after the cursor.",
  },
  {
    "returns at most limit, all without one, none for 0": async ({ provider }) => {
      await storeAtOnce(provider, 5);
      expect(await page(provider, { limit: 3 })).toHaveLength(3);
      expect(await page(provider, { limit: 100 })).toHaveLength(5);
      expect(await page(provider, {})).toHaveLength(5);
      expect(await page(provider, { limit: 0 })).toEqual([]);
      const huge = Number.MAX_SAFE_INTEGER;
      expect(await page(provider, { limit: huge })).toHaveLength(5);
      expect(await page(provider, { limit: huge, offset: 2 })).toHaveLength(3);
      expect(await page(provider, { limit: huge, offset: huge })).toEqual([]);
    },

    "skips offset": async ({ provider }) => {
      await storeAtOnce(provider, 7);
      const all = ids(await page(provider, {}));
      for (const [offset, limit] of [
        [0, 3],
        [3, 3],
        [6, 3],
        [7, 3],
        [99, 3],
      ] as const) {
        expect(ids(await page(provider, { offset, limit }))).toEqual(all.slice(offset, offset + limit));
      }
      expect(ids(await page(provider, { offset: 2 }))).toEqual(all.slice(2));
    },

    "keeps one order, even among equal times": async ({ provider }) => {
      const stored = await storeAtOnce(provider, 20);
      const first = ids(await page(provider, {}));
      expect(new Set(first)).toEqual(new Set(stored));
      expect(ids(await page(provider, { userId: "u" }))).toEqual(first);
      expect(ids(await page(provider, { includeMessages: false }))).toEqual(first);
    },

    "visits each conversation exactly once by cursor, even among equal times": async ({ provider }) => {
      await storeAtOnce(provider, 23);
      for (const query of [{}, { userId: "u" }, { includeMessages: false }]) {
        const all = ids(await page(provider, query));
        for (const limit of [1, 4, 23]) expect(await visitAll(provider, { ...query, limit })).toEqual(all);
      }
    },

    "applies the conditions, limit and offset after the cursor": async ({ provider }) => {
      await storeAtOnce(provider, 9);
      expectOk(await provider.storeMessages("other", users("1"), { userId: "v" }));
      const all = ids(await page(provider, { userId: "u" }));
      const cursor = cursorAfter(await page(provider, { userId: "u", limit: 3 }));
      expect(ids(await page(provider, { userId: "u", cursor }))).toEqual(all.slice(3));
      expect(ids(await page(provider, { userId: "u", cursor, offset: 2, limit: 2 }))).toEqual(
        all.slice(5, 7),
      );
      expect(await page(provider, { userId: "v", cursor })).toEqual([]);
    },

    "continues after a conversation that was deleted meanwhile": async ({ provider }) => {
      await storeAtOnce(provider, 6);
      const all = ids(await page(provider, {}));
      const first = await page(provider, { limit: 2 });
      for (const { conversationId } of first) expectOk(await provider.deleteConversation(conversationId));
      expect(ids(await page(provider, { cursor: cursorAfter(first) }))).toEqual(all.slice(2));
    },

    "shows a conversation once if it is written between two pages": async ({ provider }) => {
      await storeAtOnce(provider, 6);
      const first = await page(provider, { limit: 3 });
      await nextInstant();
      for (const conversationId of ids(await page(provider, {})).slice(2, 4)) {
        expectOk(await provider.appendMessages(conversationId, users("again")));
      }
      const rest = await page(provider, { cursor: cursorAfter(first) });
      const seen = [...ids(first), ...ids(rest)];
      expect(new Set(seen).size).toBe(seen.length);
    },
  },
);

export const pagingLimits = defineSpec(inputLimits("findConversations, page by page"), {
  "refuses limits and offsets that aren't whole numbers from 0": async ({ provider }) => {
    await storeAtOnce(provider, 1);
    for (const value of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, {}, 1n]) {
      await expectInvalid(() => provider.findConversations({ limit: hostile(value) }), "query.limit");
      await expectInvalid(() => provider.findConversations({ offset: hostile(value) }), "query.offset");
    }
  },

  "continues from either end of time": async ({ provider }) => {
    await storeAtOnce(provider, 3);
    expect(await page(provider, { cursor: cursorAt(8.64e15) })).toHaveLength(3);
    expect(await page(provider, { cursor: cursorAt(-8.64e15) })).toEqual([]);
  },

  "refuses a cursor that conversationCursor didn't create": async ({ provider }) => {
    await storeAtOnce(provider, 1);
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const cursors = ["", "*", "c-0", forged(null), forged([]), forged([1]), forged(["1", "c"])];
    const ids = [forged([0, ""]), forged([0, "x".repeat(256)]), forged([1e300, "c"]), forged([0, "c", 1])];
    for (const cursor of [...cursors, ...ids, null, 5, {}]) {
      await expectInvalid(() => provider.findConversations({ cursor: hostile(cursor) }), "query.cursor");
    }
  },
});
