import { expect } from "vitest";
import {
  appendChild,
  DESCENDANTS,
  expectAllAbsent,
  find,
  owned,
  parentOf,
  storeFamily,
  storeMember,
} from "../../fixtures/children.ts";
import { expectAbsent, expectConflict, expectOk, incarnationOf, read } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { forEachConcurrently, letOthersRun } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

type Provider = Scenario["provider"];

/** Functions that erase the conversation `"p"` of user `"u"`. */
const erasures: Readonly<Record<string, (provider: Provider) => Promise<void>>> = {
  "a deletion of their parent": async (provider) =>
    expect(expectOk(await provider.deleteConversation("p"))).toBe(true),
  "a clearing of their user": async (provider) =>
    expect(expectOk(await provider.clearUserConversations("u"))).toBe(1),
};

const byErasure = Object.fromEntries(
  Object.entries(erasures).flatMap(([erased, erase]) => [
    [
      `go with ${erased}, and so do all descendants`,
      async ({ provider }: { readonly provider: Provider }) => {
        await storeFamily(provider);
        await storeMember(provider, "other", undefined, { userId: "v" });
        await storeMember(provider, "child of other", "other", { userId: "v" });
        await erase(provider);
        await expectAllAbsent(provider, ["p", ...DESCENDANTS]);
        expect(await find(provider, { traceId: "t" })).toEqual([]);
        expect(expectOk(await provider.getStats("u"))).toEqual({ totalConversations: 0, totalMessages: 0 });
        expect(expectOk(await provider.clearUserConversations("u"))).toBe(0);
        expect(await find(provider, { childrenOf: "other" })).toEqual(["child of other"]);
      },
    ],
    [
      `can't be written again after ${erased}`,
      async ({ provider }: { readonly provider: Provider }) => {
        const absences = new Map<string, string>();
        for (const id of DESCENDANTS) absences.set(id, await incarnationOf(provider, id, "u"));
        await storeFamily(provider);
        const presences = new Map<string, string>();
        for (const id of DESCENDANTS) presences.set(id, await incarnationOf(provider, id));
        await erase(provider);
        for (const id of DESCENDANTS) {
          for (const expectedIncarnation of [absences.get(id) ?? "", presences.get(id) ?? ""]) {
            const late = await append(provider, id, users("late"), owned, { expectedIncarnation });
            expectConflict(late, "incarnation");
          }
        }
        await expectAllAbsent(provider, DESCENDANTS);
      },
    ],
  ]),
);

export const childErasure = defineSpec(
  {
    level: "contract",
    subject: "children and erasures",
    why: "What a user said to an inner agent is still stored after the user deleted the chat.",
    hint: "delete() and clearUser(): delete the descendants in the same step or before, each with a tombstone.",
  },
  {
    ...byErasure,

    "can be deleted alone, with their own children": async ({ provider }) => {
      await storeFamily(provider);
      const parent = await read(provider, {}, "p");
      expect(expectOk(await provider.deleteConversation("c1"))).toBe(true);
      expect(expectOk(await provider.deleteConversation("c1"))).toBe(false);
      await expectAllAbsent(provider, ["c1", "g1", "g2", "gg"]);
      expect(await find(provider, { childrenOf: "p" })).toEqual(["c2"]);
      expect((await read(provider, {}, "p")).conversation).toEqual(parent.conversation);
      await storeMember(provider, "c1", "p");
      expect(await find(provider, { childrenOf: "c1" })).toEqual([]);
    },

    "don't take along a later conversation under the id of a deleted child": async ({ provider }) => {
      await storeMember(provider, "p");
      await storeMember(provider, "q");
      for (const id of ["alone", "moved", "of another"]) {
        await storeMember(provider, id, "p");
        expectOk(await provider.deleteConversation(id));
      }
      await storeMember(provider, "alone");
      await storeMember(provider, "moved", "q");
      await storeMember(provider, "of another", undefined, { userId: "v" });
      expect(await find(provider, { childrenOf: "p" })).toEqual([]);
      expectOk(await provider.deleteConversation("p"));
      expect(new Set(await find(provider, {}))).toEqual(new Set(["alone", "q", "of another"]));
      expect(await find(provider, { childrenOf: "q" })).toEqual(["moved"]);
    },

    "don't come back with a new conversation under their parent's id": async ({ provider }) => {
      await storeFamily(provider);
      expectOk(await provider.deleteConversation("p"));
      await storeMember(provider, "p");
      expect(await find(provider, { childrenOf: "p" })).toEqual([]);
      await storeMember(provider, "c1", "p");
      expect(await find(provider, { childrenOf: "p" })).toEqual(["c1"]);
      expect(await find(provider, { childrenOf: "c1" })).toEqual([]);
    },

    "are deleted, however many and however deep": async ({ provider }) => {
      await storeMember(provider, "p");
      const childOf = await parentOf(provider, "p");
      const many = Array.from({ length: 150 }, (_, index) => `child-${index}`);
      await forEachConcurrently(many, async (id) => {
        expectOk(await appendChild(provider, id, childOf, users(id), owned));
      });
      const deep = Array.from({ length: 30 }, (_, index) => `deep-${index}`);
      for (const [index, id] of deep.entries()) await storeMember(provider, id, deep[index - 1] ?? "p");
      expect(await find(provider, { childrenOf: "p", includeMessages: false })).toHaveLength(151);
      expect(expectOk(await provider.deleteConversation("p"))).toBe(true);
      await forEachConcurrently([...many, ...deep], (id) => expectAbsent(provider, id));
    },

    "are cleared with an owner that they got later, or that their parent got": async ({ provider }) => {
      for (const [parent, child] of [
        ["p", "c"],
        ["q", "d"],
      ] as const) {
        await storeMember(provider, parent, undefined, {});
        await storeMember(provider, child, parent, {});
      }
      expectOk(await provider.appendMessages("c", [], { userId: "u" }));
      expectOk(await provider.appendMessages("q", [], { userId: "u" }));
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(1);
      await expectAllAbsent(provider, ["c", "q", "d"]);
      expect(await find(provider, {})).toEqual(["p"]);
    },
  },
);

export const interruptedErasures = defineSpec(
  {
    level: "crash",
    subject: "erasures of families that a crash cuts off",
    why: "The chat is gone, but what inner agents said in it stays in the store for ever.",
    hint: "delete(): all in one step of the storage, or the descendants first.",
    requires: ["durability"],
  },
  {
    "leave no child without its parent": async ({ provider, crash }) => {
      let current = provider;
      for (const delay of [0, 1, 2, 4, 8]) {
        const id = `p-${delay}`;
        const children = Array.from({ length: 40 }, (_, index) => `${id}/${index}`);
        await storeMember(current, id);
        const childOf = await parentOf(current, id);
        await forEachConcurrently(children, async (child) => {
          expectOk(await appendChild(current, child, childOf, users(child), owned));
        });
        await storeMember(current, `${id}/0/0`, `${id}/0`);
        // A call during a crash may never settle.
        current.deleteConversation(id).catch(() => {});
        for (let round = 0; round < delay; round++) await letOthersRun();
        current = await crash();
        const parent = expectOk(await current.getConversation(id));
        if (parent !== null) expectOk(await current.deleteConversation(id));
        for (const child of [...children, `${id}/0/0`]) await expectAbsent(current, child);
      }
    },
  },
);
