import { expect } from "vitest";
import { conversationCursor } from "../../../codec/query.ts";
import type { MemoryQuery, WriteOptions } from "../../../contract/provider.ts";
import { expectConflict, expectError, expectOk, ids, readConversation } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

type Provider = Scenario["provider"];

/** Stores two conversations of Alice and two of Bob under one trace. */
async function storeBoth(provider: Provider): Promise<void> {
  for (const id of ["a-1", "b-1", "a-2", "b-2"]) {
    const userId = id.startsWith("a") ? "alice" : "bob";
    expectOk(await append(provider, id, users(`of ${userId}`), { userId, traceId: "shared" }));
  }
}

export const otherUsers = defineSpec(
  {
    level: "isolation",
    subject: "other users",
    why: "One user reads, changes or erases another's data.",
    hint: "find(), stats(), clearUser(): the owner is a condition beside all others; write(): the owner is checked first.",
  },
  {
    "show nothing for any other condition of the query": async ({ provider }) => {
      await storeBoth(provider);
      const [newest] = expectOk(await provider.findConversations({ userId: "bob", limit: 1 }));
      const cursor = newest && conversationCursor(newest);
      const { lastActivity } = (await readConversation(provider, "b-1")).metadata;
      const queries: readonly MemoryQuery[] = [
        {},
        { traceId: "shared" },
        { traceId: "shared", includeMessages: false },
        { conversationId: "b-1" },
        { since: lastActivity },
        { until: lastActivity },
        { limit: 4 },
        { offset: 1 },
        ...(cursor === undefined ? [] : [{ cursor }, { cursor, traceId: "shared" }]),
      ];
      for (const query of queries) {
        const found = expectOk(await provider.findConversations({ ...query, userId: "alice" }));
        expect(found.map(({ userId }) => userId)).toEqual(found.map(() => "alice"));
      }
      expect(ids(expectOk(await provider.findConversations({ userId: "alice", traceId: "shared" })))).toEqual(
        ["a-2", "a-1"],
      );
    },

    "count and clear apart": async ({ provider }) => {
      await storeBoth(provider);
      expectOk(await provider.appendMessages("a-1", users("more", "and more")));
      const bobs = await readConversation(provider, "b-1");
      expect(expectOk(await provider.getStats("bob"))).toMatchObject({
        totalConversations: 2,
        totalMessages: 2,
      });
      expect(expectOk(await provider.clearUserConversations("alice"))).toBe(2);
      expect(await readConversation(provider, "b-1")).toEqual(bobs);
      expect(expectOk(await provider.getStats("bob"))).toMatchObject({
        totalConversations: 2,
        totalMessages: 2,
      });
    },

    "write nothing with an empty batch": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2"), { userId: "alice", topic: "hers" }));
      const before = await readConversation(provider, "c");
      const { incarnation = "" } = before.metadata;
      const others: readonly WriteOptions[] = [
        {},
        { dropLast: 1 },
        { maxMessages: 1 },
        { expectedIncarnation: incarnation, expectedVersion: 1, expectedMetadataVersion: 1 },
        { createIfMissing: true },
        { idempotencyKey: "k" },
      ];
      for (const options of others) {
        for (const metadata of [{ userId: "mallory" }, { userId: "mallory", topic: "mine", traceId: "t" }]) {
          expectConflict(await provider.appendMessages("c", [], metadata, options), "owner");
        }
      }
      expectConflict(await provider.storeMessages("c", [], { userId: "mallory" }), "owner");
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
    },

    "can't take over a conversation with any knowledge of it": async ({ provider }) => {
      expectOk(await append(provider, "c", users("hers"), { userId: "alice" }, { idempotencyKey: "k" }));
      const before = await readConversation(provider, "c");
      const knowledge: readonly WriteOptions[] = [
        {},
        { expectedVersion: 1 },
        { expectedVersion: 0 },
        { idempotencyKey: "k" },
        { maxMessages: 1 },
      ];
      for (const options of knowledge) {
        for (const method of ["appendMessages", "storeMessages"] as const) {
          const refused = await provider[method](
            "c",
            users("hers"),
            { userId: "mallory", traceId: "t" },
            options,
          );
          expect(expectError(refused, "MemoryConflictError").reason).toBe("owner");
        }
      }
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
      expect(expectOk(await provider.findConversations({ userId: "mallory" }))).toEqual([]);
    },
  },
);
