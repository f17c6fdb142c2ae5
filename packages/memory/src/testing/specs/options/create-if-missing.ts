import { expect } from "vitest";
import type { MemoryProvider, WriteMetadata, WriteOptions } from "../../../contract/provider.ts";
import {
  expectAbsent,
  expectConflict,
  expectError,
  expectInvalid,
  expectOk,
  readConversation,
} from "../../fixtures/expectations.ts";
import { users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

async function expectMissing(provider: MemoryProvider, id: string, options?: WriteOptions): Promise<void> {
  const metadata: readonly (WriteMetadata | undefined)[] = [
    undefined,
    { topic: "x" },
    { userId: "u", traceId: "t" },
  ];
  for (const fields of metadata) {
    for (const messages of [users("1"), []]) {
      const refused = await provider.appendMessages(id, messages, fields, options);
      const error = expectError(refused, "MemoryNotFoundError");
      expect(error).toMatchObject({ conversationId: id, operation: "appendMessages", retryable: false });
    }
  }
  await expectAbsent(provider, id);
  for (const query of [{}, { userId: "u" }, { traceId: "t" }]) {
    expect(expectOk(await provider.findConversations(query))).toEqual([]);
  }
  expect(expectOk(await provider.getStats()).totalConversations).toBe(0);
}

export const creation = defineSpec(
  {
    level: "contract",
    subject: "options.createIfMissing",
    why: "A late write creates a deleted conversation again, or a conversation has no owner, so no user's request erases it.",
    hint: 'write(): without `create`, a conversation that isn\'t there is "missing", after the versions and before the length.',
  },
  {
    "is false by default: nothing is created for any other option": async ({ provider }) => {
      await expectMissing(provider, "c");
      await expectMissing(provider, "c", { createIfMissing: false });
      await expectMissing(provider, "c", { expectedVersion: 0, expectedMetadataVersion: 0 });
      await expectMissing(provider, "c", { idempotencyKey: "k", maxMessages: 5 });
      await expectMissing(provider, "c", { dropLast: 1 });
    },

    "uses no key for a write that found no conversation": async ({ provider }) => {
      await expectMissing(provider, "c", { idempotencyKey: "k" });
      expectOk(await provider.storeMessages("c", users("1")));
      expectOk(await provider.appendMessages("c", users("2"), {}, { idempotencyKey: "k" }));
      expect((await readConversation(provider, "c")).messages).toEqual(users("1", "2"));
    },

    "creates a conversation for its owner": async ({ provider }) => {
      const options = { createIfMissing: true };
      expectOk(await provider.appendMessages("c", users("1"), { userId: "u" }, options));
      expectOk(await provider.appendMessages("empty", [], { userId: "u" }, options));
      expect(await readConversation(provider, "c")).toMatchObject({ userId: "u", messages: users("1") });
      expect(expectOk(await provider.findConversations({ userId: "u" }))).toHaveLength(2);
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(2);
    },

    "is refused without an owner, whether or not the conversation exists": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { userId: "u" }));
      const before = await readConversation(provider, "c");
      for (const id of ["c", "new"]) {
        for (const metadata of [undefined, {}, { userId: undefined }, { owner: "u" }]) {
          const write = () =>
            provider.appendMessages(id, users("2"), metadata as WriteMetadata, { createIfMissing: true });
          await expectInvalid(write, "metadata.userId");
        }
      }
      expect(await readConversation(provider, "c")).toEqual(before);
      await expectAbsent(provider, "new");
    },

    'creates an unowned conversation for "unowned", and an owned one if an owner is named': async ({
      provider,
    }) => {
      const options = { createIfMissing: "unowned" } as const;
      expectOk(await provider.appendMessages("unowned", users("1"), {}, options));
      expectOk(await provider.appendMessages("hers", users("1"), { userId: "u" }, options));
      expect(await readConversation(provider, "unowned")).not.toHaveProperty("userId");
      expect((await readConversation(provider, "hers")).userId).toBe("u");
    },

    "appends normally to an existing conversation": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { userId: "u", topic: "t" }));
      const before = (await readConversation(provider, "c")).metadata;
      expectOk(await provider.appendMessages("c", users("2"), { userId: "u" }, { createIfMissing: true }));
      expectOk(await provider.appendMessages("c", users("3"), {}, { createIfMissing: "unowned" }));
      const after = await readConversation(provider, "c");
      expect(after).toMatchObject({ userId: "u", messages: users("1", "2", "3") });
      const { createdAt, incarnation } = before;
      expect(after.metadata).toMatchObject({ createdAt, incarnation, topic: "t", version: 3 });
      const stranger = { userId: "mallory" };
      const refused = await provider.appendMessages("c", users("4"), stranger, { createIfMissing: true });
      expectConflict(refused, "owner");
    },

    "creates nothing again that was deleted or cleared": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { userId: "u" }));
      expectOk(await provider.deleteConversation("c"));
      await expectMissing(provider, "c");
      expectOk(await provider.storeMessages("c", users("1"), { userId: "u" }));
      expectOk(await provider.clearUserConversations("u"));
      await expectMissing(provider, "c");
    },

    "is checked after the versions": async ({ provider }) => {
      const stale = await provider.appendMessages("c", users("1"), {}, { expectedVersion: 3 });
      expect(expectConflict(stale, "version").actualVersion).toBe(0);
      const options = { expectedMetadataVersion: 3 };
      const old = await provider.appendMessages("c", users("1"), {}, options);
      expect(expectConflict(old, "metadata-version").actualVersion).toBe(0);
    },
  },
);
