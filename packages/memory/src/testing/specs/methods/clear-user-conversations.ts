import { expect } from "vitest";
import { expectAbsent, expectOk, ids, readConversation } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { forEachConcurrently } from "../../fixtures/timing.ts";
import { defineSpec } from "../../kit/spec.ts";

export const clearUserConversations = defineSpec(
  {
    level: "contract",
    subject: "clearUserConversations",
    why: "A user's data outlives the request to erase it, or another user's data is erased, too.",
    hint: "clearUser(): select only by the owner, compared exactly; count the deleted conversations.",
  },
  {
    "deletes all of a user's conversations and returns their number": async ({ provider }) => {
      for (let index = 0; index < 7; index++) {
        const metadata = { userId: "alice", traceId: "t" };
        expectOk(await append(provider, `a-${index}`, users("1"), metadata));
      }
      expect(expectOk(await provider.clearUserConversations("alice"))).toBe(7);
      for (let index = 0; index < 7; index++) await expectAbsent(provider, `a-${index}`);
      for (const query of [{}, { userId: "alice" }, { traceId: "t" }]) {
        expect(expectOk(await provider.findConversations(query))).toEqual([]);
      }
      expect(expectOk(await provider.clearUserConversations("alice"))).toBe(0);
    },

    "deletes 300 in one call": async ({ provider }) => {
      const owned = Array.from({ length: 300 }, (_, index) => `c-${index}`);
      await forEachConcurrently(owned, async (id) => {
        expectOk(await append(provider, id, users(id), { userId: "alice", traceId: "t" }));
      });
      expectOk(await append(provider, "other", users("1"), { userId: "bob", traceId: "t" }));
      expect(expectOk(await provider.clearUserConversations("alice"))).toBe(300);
      expect(ids(expectOk(await provider.findConversations({ traceId: "t" })))).toEqual(["other"]);
      expect(expectOk(await provider.getStats()).totalConversations).toBe(1);
    },

    "returns 0 for a user without conversations": async ({ provider }) => {
      expect(expectOk(await provider.clearUserConversations("nobody"))).toBe(0);
    },

    "keeps other users' and ownerless conversations": async ({ provider }) => {
      const owners = { mine: "alice", hers: "alice2", his: "Alice", theirs: "ali" };
      for (const [id, userId] of Object.entries(owners)) {
        expectOk(await provider.storeMessages(id, users(id), { userId }));
      }
      // None of these fields makes Alice the owner: `owner` in the metadata, a trace id, or a conversation id.
      expectOk(await provider.storeMessages("alice", users("1"), { traceId: "alice", owner: "alice" }));
      expect(expectOk(await provider.clearUserConversations("alice"))).toBe(1);
      const left = ids(expectOk(await provider.findConversations({})));
      expect(new Set(left)).toEqual(new Set(["hers", "his", "theirs", "alice"]));
    },

    "lets the user start again": async ({ provider }) => {
      expectOk(await append(provider, "c", users("old"), { userId: "u" }, { idempotencyKey: "k" }));
      expectOk(await provider.clearUserConversations("u"));
      expectOk(await append(provider, "c", users("new"), { userId: "v" }, { idempotencyKey: "k" }));
      expect(await readConversation(provider, "c")).toMatchObject({ userId: "v", messages: users("new") });
    },

    "clears a conversation that got its owner later": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      expectOk(await provider.appendMessages("c", [], { userId: "u" }));
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(1);
      await expectAbsent(provider, "c");
    },
  },
);
