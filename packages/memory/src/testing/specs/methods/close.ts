import { expect } from "vitest";
import type { ConversationRecord } from "../../../contract/versioned-provider.ts";
import { expectError, expectOk, readContents } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

const RECORD: ConversationRecord = {
  ...{ conversationId: "imported", messages: [], metadata: {}, traceIds: [], firstPosition: 0 },
  ...{ createdAt: new Date(0), lastActivity: new Date(0), version: 1, metadataVersion: 0 },
};

export const close = defineSpec(
  {
    level: "contract",
    subject: "close",
    why: "A process that shuts down loses writes, hangs, or closes another connection.",
    hint: "close() of the backend closes what the backend opened, and waits for calls in progress.",
  },
  {
    "makes every later call fail with a connection error": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      expectOk(await provider.close());
      const calls = {
        storeMessages: () => provider.storeMessages("c", users("2")),
        appendMessages: () => provider.appendMessages("c", users("2")),
        getConversation: () => provider.getConversation("c"),
        findConversations: () => provider.findConversations({}),
        getRecentMessages: () => provider.getRecentMessages("c"),
        deleteConversation: () => provider.deleteConversation("c"),
        clearUserConversations: () => provider.clearUserConversations("u"),
        readConversation: () => provider.readConversation("c"),
        exportConversation: () => provider.exportConversation("c"),
        importConversation: () => provider.importConversation(RECORD),
        getStats: () => provider.getStats(),
        healthCheck: () => provider.healthCheck(),
      };
      for (const [operation, call] of Object.entries(calls)) {
        const error = expectError(await call(), "MemoryConnectionError");
        expect(error, "closed for good: no retry helps").toMatchObject({ operation, retryable: false });
      }
    },

    "succeeds twice, even at the same time": async ({ provider }) => {
      for (const closed of await Promise.all([provider.close(), provider.close()])) expectOk(closed);
      expectOk(await provider.close());
    },

    "loses no write, and leaves other connections open": async (scenario) => {
      const { provider } = scenario;
      const other = await scenario.connect();
      expectOk(await append(other, "c", users("1"), {}, { idempotencyKey: "k" }));
      await scenario.disconnect(other);
      expect(await readContents(provider, "c")).toEqual(["1"]);
      expectOk(await provider.appendMessages("c", users("1"), {}, { idempotencyKey: "k" }));
      expectOk(await provider.appendMessages("c", users("2"), {}, { expectedVersion: 1 }));
      expect(await readContents(provider, "c")).toEqual(["1", "2"]);
    },
  },
);
