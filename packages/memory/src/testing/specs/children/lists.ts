import { expect } from "vitest";
import { conversationCursor } from "../../../codec/query.ts";
import type { MemoryQuery } from "../../../contract/provider.ts";
import {
  appendChild,
  DESCENDANTS,
  find,
  owned,
  parentOf,
  storeFamily,
  storeMember,
} from "../../fixtures/children.ts";
import { expectOk, readConversation } from "../../fixtures/expectations.ts";
import { storableIds } from "../../fixtures/hostile-ids.ts";
import { users } from "../../fixtures/messages.ts";
import { forEachConcurrently, nextInstant } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

/** Stores `"p"` with five children at different times. Returns the ids of the children, newest first. */
async function storeFive(provider: Scenario["provider"]): Promise<readonly string[]> {
  await storeMember(provider, "p");
  const childOf = await parentOf(provider, "p");
  for (const id of ["1", "2", "3", "4", "5"]) {
    await nextInstant();
    expectOk(
      await appendChild(provider, id, childOf, users(id), { ...owned, traceId: `t${Number(id) % 2}` }),
    );
  }
  await nextInstant();
  expectOk(await provider.appendMessages("2", users("again")));
  return ["2", "5", "4", "3", "1"];
}

export const childLists = defineSpec(
  {
    level: "contract",
    subject: "children in lists",
    why: "The list of a user's chats shows what agents said to each other, or an application can't find it.",
    hint: "find(): without conversationId and childrenOf, only conversations without a parent; stats() counts only these.",
  },
  {
    "are left out by every condition but their parent and their id": async ({ provider }) => {
      const since = new Date(0);
      await storeFamily(provider);
      const queries: readonly MemoryQuery[] = [
        {},
        { userId: "u" },
        { traceId: "t" },
        { userId: "u", traceId: "t" },
        { since },
        { userId: "u", since, until: new Date(Date.now() + 3_600_000) },
        { limit: 3 },
        { limit: 3, includeMessages: false },
        { userId: "u", offset: 0, includeMessages: false },
      ];
      for (const query of queries) expect(await find(provider, query), JSON.stringify(query)).toEqual(["p"]);
    },

    "are left out between other conversations, page by page": async ({ provider }) => {
      for (const id of ["a", "b", "c", "d"]) {
        await storeMember(provider, id);
        for (const child of [1, 2, 3]) await storeMember(provider, `${id}${child}`, id);
        await nextInstant();
      }
      for (const condition of [{}, { userId: "u" }, { traceId: "t" }]) {
        const pages: string[] = [];
        let cursor: MemoryQuery = {};
        for (let count = 0; count < 3; count++) {
          const query = { ...condition, ...cursor, limit: 2, includeMessages: false };
          const page = expectOk(await provider.findConversations(query));
          pages.push(...page.map(({ conversationId }) => conversationId));
          const last = page.at(-1);
          cursor = { cursor: (last && conversationCursor(last)) ?? "" };
          if (page.length < 2) break;
          if (count === 0)
            expect(await find(provider, { ...condition, limit: 2, offset: 1 })).toEqual(["c", "b"]);
        }
        expect(pages).toEqual(["d", "c", "b", "a"]);
      }
    },

    "aren't counted by statistics": async ({ provider }) => {
      await storeFamily(provider);
      await nextInstant();
      await storeMember(provider, "late", "p");
      const { createdAt } = (await readConversation(provider, "p")).metadata;
      const expected = {
        ...{ totalConversations: 1, totalMessages: 1 },
        ...{ oldestConversation: createdAt, newestConversation: createdAt },
      };
      expect(expectOk(await provider.getStats())).toEqual(expected);
      expect(expectOk(await provider.getStats("u"))).toEqual(expected);
    },

    "are found by their own id": async ({ provider }) => {
      await storeFamily(provider);
      for (const id of DESCENDANTS) {
        const child = await readConversation(provider, id);
        for (const more of [
          {},
          { userId: "u" },
          { traceId: "t" },
          { childrenOf: child.metadata.childOf ?? "" },
        ]) {
          const found = expectOk(await provider.findConversations({ conversationId: id, ...more }));
          expect(found).toEqual([child]);
        }
        for (const other of [{ userId: "v" }, { traceId: "T" }, { childrenOf: "gg" }, { childrenOf: id }]) {
          expect(await find(provider, { conversationId: id, ...other })).toEqual([]);
        }
      }
    },

    "are listed by their parent, without their own children": async ({ provider }) => {
      await storeFamily(provider);
      const children = { p: ["c1", "c2"], c1: ["g1", "g2"], g1: ["gg"], c2: [], gg: [], missing: [] };
      for (const [childrenOf, expected] of Object.entries(children)) {
        const found = expectOk(await provider.findConversations({ childrenOf }));
        expect(found.map(({ conversationId }) => conversationId).toSorted()).toEqual(expected);
        for (const child of found) {
          expect(child).toEqual(await readConversation(provider, child.conversationId));
        }
      }
      expect(await find(provider, { childrenOf: "p", userId: "v" })).toEqual([]);
    },

    "are ordered and filtered like any list": async ({ provider }) => {
      const all = await storeFive(provider);
      const childrenOf = "p";
      expect(await find(provider, { childrenOf })).toEqual(all);
      const times = await Promise.all(
        all.map(async (id) => (await readConversation(provider, id)).metadata.lastActivity),
      );
      const queries: readonly (readonly [MemoryQuery, readonly string[]])[] = [
        [{ limit: 2 }, ["2", "5"]],
        [{ limit: 2, offset: 1 }, ["5", "4"]],
        [{ limit: 0 }, []],
        [{ offset: 4 }, ["1"]],
        [{ userId: "u" }, all],
        [{ traceId: "t0" }, ["2", "4"]],
        [{ traceId: "t1", limit: 1 }, ["5"]],
        [{ since: times[1] ?? new Date() }, ["2", "5"]],
        [{ until: times[2] ?? new Date() }, ["4", "3", "1"]],
        [{ userId: "u", since: times[3] ?? new Date(), until: times[1] ?? new Date() }, ["5", "4", "3"]],
      ];
      for (const [query, expected] of queries) {
        expect(await find(provider, { childrenOf, ...query }), JSON.stringify(query)).toEqual(expected);
      }
      const second = await readConversation(provider, "5");
      const cursor = conversationCursor(second) ?? "";
      expect(await find(provider, { childrenOf, cursor, limit: 2 })).toEqual(["4", "3"]);
      const bare = expectOk(
        await provider.findConversations({ childrenOf, limit: 1, includeMessages: false }),
      );
      expect(bare).toEqual([{ ...(await readConversation(provider, "2")), messages: [] }]);
    },
  },
);

export const hostileFamilies = defineSpec(
  {
    level: "limits",
    subject: "hostile ids of families",
    why: "A user who can choose an id lists or deletes the children of another conversation.",
    hint: "Bind a parent's id as a parameter, escape or hash it in keys, and compare it byte by byte.",
  },
  {
    "are kept exactly and apart, as parents and as children": async ({ provider }) => {
      const childOf = (id: string) => `child ${storableIds.indexOf(id)}`;
      await forEachConcurrently(storableIds, async (id) => {
        await storeMember(provider, id, undefined, { userId: id });
        await storeMember(provider, childOf(id), id, { userId: id });
      });
      await storeMember(provider, "the parent of all", undefined, {});
      await forEachConcurrently(storableIds, async (id) => {
        const child = await readConversation(provider, childOf(id));
        expect(child).toMatchObject({ userId: id, metadata: { childOf: id } });
        expect(await find(provider, { childrenOf: id })).toEqual([childOf(id)]);
        expect(await find(provider, { userId: id })).toEqual([id]);
      });
      expect(expectOk(await provider.getStats()).totalConversations).toBe(storableIds.length + 1);
      for (const id of storableIds) expect(expectOk(await provider.deleteConversation(id))).toBe(true);
      await forEachConcurrently(storableIds, async (id) => {
        expect(expectOk(await provider.getConversation(childOf(id)))).toBeNull();
      });
      expect(await find(provider, {})).toEqual(["the parent of all"]);
    },

    "delete only their own children": async ({ provider }) => {
      await storeMember(provider, "the parent of all");
      await forEachConcurrently(storableIds, (id) => storeMember(provider, id, "the parent of all"));
      const [last = ""] = storableIds.slice(-1);
      for (const id of storableIds.slice(0, 40)) {
        expect(expectOk(await provider.deleteConversation(id))).toBe(true);
      }
      const left = await find(provider, { childrenOf: "the parent of all" });
      expect(new Set(left)).toEqual(new Set(storableIds.slice(40)));
      expect(left).toContain(last);
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(1);
      expect(expectOk(await provider.getConversation(last))).toBeNull();
    },
  },
);
