import { expect } from "vitest";
import { expectAbsent, expectOk, readConversation } from "../../fixtures/expectations.ts";
import { users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

export const getConversation = defineSpec(
  {
    level: "contract",
    subject: "getConversation",
    why: "The agent answers from a history that differs from the stored one.",
    hint: "read() without `last`: all messages by sequence number; null, not an error, if there is none.",
  },
  {
    "returns null for a conversation that was never stored": async ({ provider }) => {
      await expectAbsent(provider, "absent");
      expectOk(await provider.storeMessages("present", users("1")));
      await expectAbsent(provider, "absent");
    },

    "returns all messages, oldest first": async ({ provider }) => {
      const texts = Array.from({ length: 500 }, (_, index) => `message ${index}`);
      expectOk(await provider.storeMessages("c", users(...texts)));
      const { messages, metadata } = await readConversation(provider, "c");
      expect(messages).toEqual(users(...texts));
      expect(metadata).toMatchObject({ totalMessages: 500, version: 1, nextPosition: 500 });
    },

    "returns equal data each time, and changes nothing": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { userId: "alice", tags: ["a"] }));
      const first = await readConversation(provider, "c");
      expectOk(await provider.getRecentMessages("c"));
      expectOk(await provider.findConversations({ userId: "alice" }));
      expect(await readConversation(provider, "c")).toEqual(first);
    },
  },
);
