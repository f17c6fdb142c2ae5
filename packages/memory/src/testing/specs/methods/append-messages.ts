import { expect } from "vitest";
import { expectError, expectOk, readContents, readConversation } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { nextInstant } from "../../fixtures/timing.ts";
import { defineSpec } from "../../kit/spec.ts";

export const appendMessages = defineSpec(
  {
    level: "contract",
    subject: "appendMessages",
    why: "Each turn of a chat is an append: a mistake here garbles or loses messages.",
    hint: 'write() with mode "append": the order inside a batch, the merge of metadata, the counters.',
  },
  {
    "creates a missing conversation if the write allows it": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2"), { userId: "alice", topic: "t" }));
      const conversation = await readConversation(provider, "c");
      expect(conversation).toMatchObject({ conversationId: "c", userId: "alice", messages: users("1", "2") });
      expect(conversation.metadata).toMatchObject({
        topic: "t",
        totalMessages: 2,
        version: 1,
        nextPosition: 2,
      });
    },

    "adds a batch at the end, in its order": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2")));
      expectOk(await provider.appendMessages("c", users("3", "4", "5")));
      expectOk(await provider.appendMessages("c", users("6")));
      expect(await readContents(provider, "c")).toEqual(["1", "2", "3", "4", "5", "6"]);
    },

    "keeps equal messages apart": async ({ provider }) => {
      expectOk(await append(provider, "c", users("same", "same")));
      expectOk(await provider.appendMessages("c", users("same")));
      expect(await readContents(provider, "c")).toEqual(["same", "same", "same"]);
    },

    "increases the version by one with each batch of any size": async ({ provider }) => {
      for (const [index, size] of [2, 1, 3].entries()) {
        expectOk(await append(provider, "c", users(...Array<string>(size).fill(`batch ${index}`))));
      }
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        version: 3,
        totalMessages: 6,
        nextPosition: 6,
      });
    },

    "merges metadata field by field": async ({ provider }) => {
      const first = { traceId: "t-1", topic: "old", nested: { a: 1 }, kept: "yes" };
      expectOk(await provider.storeMessages("c", users("1"), first));
      expectOk(
        await provider.appendMessages("c", users("2"), { topic: "new", nested: { b: 2 }, more: null }),
      );
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        traceId: "t-1",
        topic: "new",
        kept: "yes",
        more: null,
      });
      expect((await readConversation(provider, "c")).metadata["nested"]).toEqual({ b: 2 });
    },

    "ignores an undefined metadata field": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { topic: "kept" }));
      expectOk(await provider.appendMessages("c", users("2"), { topic: undefined }));
      expect((await readConversation(provider, "c")).metadata["topic"]).toBe("kept");
    },

    "writes only the metadata for an empty batch": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { topic: "old" }));
      const before = await readConversation(provider, "c");
      await nextInstant();
      expectOk(await provider.appendMessages("c", [], { topic: "new" }));
      const after = await readConversation(provider, "c");
      expect(after.messages).toEqual(before.messages);
      expect(after.metadata).toMatchObject({ topic: "new", version: 1, totalMessages: 1 });
      expect(after.metadata.lastActivity.getTime()).toBeGreaterThan(before.metadata.lastActivity.getTime());
    },

    "creates an empty conversation for an empty batch": async ({ provider }) => {
      expectOk(await append(provider, "c", [], { userId: "alice" }));
      const conversation = await readConversation(provider, "c");
      expect(conversation).toMatchObject({ userId: "alice", messages: [] });
      expect(conversation.metadata).toMatchObject({ version: 1, totalMessages: 0, nextPosition: 0 });
    },

    "keeps the creation time and moves the last activity": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      const before = (await readConversation(provider, "c")).metadata;
      await nextInstant();
      expectOk(await provider.appendMessages("c", users("2")));
      const after = (await readConversation(provider, "c")).metadata;
      expect(after.createdAt).toEqual(before.createdAt);
      expect(after.lastActivity.getTime()).toBeGreaterThan(before.lastActivity.getTime());
      expect(after.updatedAt).toEqual(after.lastActivity);
    },

    "gives a conversation without an owner the first owner of a write": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1")));
      expectOk(await provider.appendMessages("c", users("2"), { userId: "alice" }));
      expectOk(await provider.appendMessages("c", users("3")));
      expect((await readConversation(provider, "c")).userId).toBe("alice");
      const found = expectOk(await provider.findConversations({ userId: "alice" }));
      expect(found.map(({ messages }) => messages)).toEqual([users("1", "2", "3")]);
    },

    "refuses another user's conversation and leaves it unchanged": async ({ provider }) => {
      expectOk(await append(provider, "c", users("hers"), { userId: "alice" }));
      const before = await readConversation(provider, "c");
      const refused = await provider.appendMessages("c", users("mine"), { userId: "mallory", traceId: "t" });
      const error = expectError(refused, "MemoryConflictError");
      expect(error).toMatchObject({ reason: "owner", operation: "appendMessages", retryable: false });
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
      expect(expectOk(await provider.clearUserConversations("mallory"))).toBe(0);
    },

    "appends a batch of 500": async ({ provider }) => {
      const texts = Array.from({ length: 500 }, (_, index) => `message ${index}`);
      expectOk(await append(provider, "c", users("first")));
      expectOk(await provider.appendMessages("c", users(...texts)));
      expect(await readContents(provider, "c")).toEqual(["first", ...texts]);
    },
  },
);
