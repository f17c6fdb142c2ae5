import { expect } from "vitest";
import { expectAbsent, expectOk, readContents, readConversation } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { nextInstant } from "../../fixtures/timing.ts";
import { defineSpec } from "../../kit/spec.ts";

export const deleteConversation = defineSpec(
  {
    level: "contract",
    subject: "deleteConversation",
    why: "Data that a user deleted still exists, or other data is gone.",
    hint: "delete(): delete messages, traces, keys, owner index and expiry with the conversation.",
  },
  {
    "returns whether the conversation existed": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      expect(expectOk(await provider.deleteConversation("absent"))).toBe(false);
      expect(expectOk(await provider.deleteConversation("c"))).toBe(true);
      expect(expectOk(await provider.deleteConversation("c"))).toBe(false);
    },

    "deletes all of its data": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { userId: "u", traceId: "t" }));
      expectOk(await provider.deleteConversation("c"));
      await expectAbsent(provider, "c");
      expect(expectOk(await provider.getRecentMessages("c"))).toEqual([]);
      for (const query of [{}, { userId: "u" }, { traceId: "t" }, { conversationId: "c" }]) {
        expect(expectOk(await provider.findConversations(query))).toEqual([]);
      }
      expect(expectOk(await provider.getStats())).toEqual({ totalConversations: 0, totalMessages: 0 });
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(0);
    },

    "keeps all others": async ({ provider }) => {
      for (const id of ["a", "b", "ab"])
        expectOk(await provider.storeMessages(id, users(id), { userId: "u" }));
      const kept = [await readConversation(provider, "b"), await readConversation(provider, "ab")];
      expectOk(await provider.deleteConversation("a"));
      expect([await readConversation(provider, "b"), await readConversation(provider, "ab")]).toEqual(kept);
    },

    "lets the id start again at version 0, with nothing of the old one": async ({ provider }) => {
      expectOk(
        await provider.storeMessages("c", users("old", "old"), {
          userId: "alice",
          traceId: "t",
          topic: "old",
        }),
      );
      const before = await readConversation(provider, "c");
      expectOk(await provider.deleteConversation("c"));
      await nextInstant();
      expectOk(await append(provider, "c", users("new"), { userId: "bob" }, { expectedVersion: 0 }));
      const after = await readConversation(provider, "c");
      expect(after).toMatchObject({ userId: "bob", messages: users("new") });
      expect(after.metadata).toMatchObject({ version: 1, totalMessages: 1 });
      expect(after.metadata).not.toHaveProperty("topic");
      expect(after.metadata).not.toHaveProperty("traceId");
      expect(after.metadata.createdAt.getTime()).toBeGreaterThan(before.metadata.createdAt.getTime());
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
      expect(expectOk(await provider.findConversations({ userId: "alice" }))).toEqual([]);
    },

    "deletes the idempotency keys": async ({ provider }) => {
      expectOk(await append(provider, "c", users("old"), {}, { idempotencyKey: "k" }));
      expectOk(await provider.deleteConversation("c"));
      expectOk(await append(provider, "c", users("new"), {}, { idempotencyKey: "k" }));
      expect(await readContents(provider, "c")).toEqual(["new"]);
    },
  },
);
