import { expect } from "vitest";
import { expectError, expectOk, readContents, readConversation } from "../../fixtures/expectations.ts";
import { assistant, user, users } from "../../fixtures/messages.ts";
import { nextInstant } from "../../fixtures/timing.ts";
import { defineSpec } from "../../kit/spec.ts";

export const storeMessages = defineSpec(
  {
    level: "contract",
    subject: "storeMessages",
    why: "A stored conversation comes back wrong: messages, owner or dates of a user's history change without a write.",
    hint: 'write() with mode "replace": it replaces messages and metadata, and keeps owner, creation time and version.',
  },
  {
    "creates a conversation, readable as it was stored": async ({ provider }) => {
      const messages = [user("Hello"), assistant("Hi there!")];
      const metadata = { userId: "user-456", traceId: "trace-789", topic: "greeting" };
      expectOk(await provider.storeMessages("conv-123", messages, metadata));
      const conversation = await readConversation(provider, "conv-123");
      expect(conversation).toMatchObject({ conversationId: "conv-123", userId: "user-456", messages });
      expect(conversation.metadata).toMatchObject({
        topic: "greeting",
        traceId: "trace-789",
        totalMessages: 2,
        version: 1,
      });
    },

    "dates a conversation by its creation and its last write": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      const { createdAt, updatedAt, lastActivity } = (await readConversation(provider, "c")).metadata;
      for (const date of [createdAt, updatedAt, lastActivity]) expect(date).toBeInstanceOf(Date);
      expect(updatedAt).toEqual(lastActivity);
      expect(lastActivity.getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
    },

    "works without metadata, and then has no owner": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      expect(await readConversation(provider, "c")).not.toHaveProperty("userId");
    },

    "replaces all messages": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2", "3")));
      expectOk(await provider.storeMessages("c", users("new")));
      expect(await readContents(provider, "c")).toEqual(["new"]);
      expect(expectOk(await provider.getStats()).totalMessages).toBe(1);
    },

    "replaces all metadata": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { traceId: "t-1", topic: "old", kept: false }));
      expectOk(await provider.storeMessages("c", users("2"), { topic: "new" }));
      const { metadata } = await readConversation(provider, "c");
      expect(metadata["topic"]).toBe("new");
      expect(metadata).not.toHaveProperty("kept");
      expect(metadata).not.toHaveProperty("traceId");
    },

    "keeps the creation time when it replaces, and moves the last activity": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      const before = (await readConversation(provider, "c")).metadata;
      await nextInstant();
      expectOk(await provider.storeMessages("c", users("2")));
      const after = (await readConversation(provider, "c")).metadata;
      expect(after.createdAt).toEqual(before.createdAt);
      expect(after.lastActivity.getTime()).toBeGreaterThan(before.lastActivity.getTime());
      expect(after.updatedAt).toEqual(after.lastActivity);
    },

    "keeps the owner when it replaces without naming one": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { userId: "alice" }));
      expectOk(await provider.storeMessages("c", users("2")));
      expect((await readConversation(provider, "c")).userId).toBe("alice");
      expect(expectOk(await provider.findConversations({ userId: "alice" }))).toHaveLength(1);
    },

    "continues the version when it replaces": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2")));
      expectOk(await provider.storeMessages("c", users("3")));
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        version: 2,
        totalMessages: 1,
      });
      expectOk(await provider.appendMessages("c", users("4")));
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        version: 3,
        totalMessages: 2,
      });
    },

    "stores an empty conversation": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", [], { userId: "alice" }));
      const { messages, metadata } = await readConversation(provider, "c");
      expect(messages).toEqual([]);
      expect(metadata).toMatchObject({ version: 1, totalMessages: 0 });
      expect(expectOk(await provider.findConversations({ userId: "alice" }))).toHaveLength(1);
    },

    "refuses another user's conversation and leaves it unchanged": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("hers"), { userId: "alice", topic: "private" }));
      const before = await readConversation(provider, "c");
      const refused = await provider.storeMessages("c", users("mine"), { userId: "mallory" });
      const error = expectError(refused, "MemoryConflictError");
      expect(error).toMatchObject({ reason: "owner", operation: "storeMessages", retryable: false });
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(expectOk(await provider.findConversations({ userId: "mallory" }))).toEqual([]);
    },

    "ignores the store's own fields in a caller's metadata": async ({ provider }) => {
      const forged = { createdAt: new Date(0), lastActivity: new Date(0), totalMessages: 99, version: 99 };
      expectOk(
        await provider.storeMessages("c", users("1"), { ...forged, updatedAt: new Date(0), topic: "t" }),
      );
      const { metadata } = await readConversation(provider, "c");
      expect(metadata).toMatchObject({ totalMessages: 1, version: 1, topic: "t" });
      for (const field of ["createdAt", "updatedAt", "lastActivity"]) {
        expect(metadata[field]).not.toEqual(new Date(0));
      }
    },
  },
);
