import { expect } from "vitest";
import {
  contents,
  expectError,
  expectOk,
  ids,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

export const conversations = defineSpec(
  {
    level: "isolation",
    subject: "other conversations",
    why: "Messages of one chat appear in another.",
    hint: "Select every statement, key and file by the whole conversation id.",
  },
  {
    "keep messages, metadata, versions and owners to themselves": async ({ provider }) => {
      for (let turn = 0; turn < 3; turn++) {
        for (const id of ["a", "b"]) {
          const metadata = { userId: `user of ${id}`, topic: id, [`turn-${id}`]: turn };
          expectOk(await append(provider, id, users(`${id}-${turn}`), metadata));
        }
      }
      expectOk(await provider.storeMessages("b", users("replaced"), { topic: "other" }));
      const { messages, metadata, userId } = await readConversation(provider, "a");
      expect(contents(messages)).toEqual(["a-0", "a-1", "a-2"]);
      expect(metadata).toMatchObject({ topic: "a", "turn-a": 2, version: 3, totalMessages: 3 });
      expect(metadata).not.toHaveProperty("turn-b");
      expect(userId).toBe("user of a");
    },

    "keep expected versions, keys and trims to themselves": async ({ provider }) => {
      expectOk(await append(provider, "a", users("1", "2", "3"), {}, { idempotencyKey: "k" }));
      expectOk(await append(provider, "b", users("4"), {}, { idempotencyKey: "k", expectedVersion: 0 }));
      expectOk(await provider.appendMessages("b", users("5"), {}, { expectedVersion: 1, maxMessages: 1 }));
      expectOk(await provider.deleteConversation("b"));
      const reused = await provider.appendMessages("a", users("4"), {}, { idempotencyKey: "k" });
      expect(expectError(reused, "MemoryConflictError").reason).toBe("idempotency-key");
      expect(await readContents(provider, "a")).toEqual(["1", "2", "3"]);
    },

    "keep their traces to themselves": async ({ provider }) => {
      expectOk(await append(provider, "a", users("1"), { traceId: "t-a" }));
      expectOk(await append(provider, "b", users("1"), { traceId: "t-b" }));
      expectOk(await provider.appendMessages("b", users("2"), { traceId: "t" }));
      expectOk(await provider.appendMessages("a", users("2"), { traceId: "t" }));
      expect(ids(expectOk(await provider.findConversations({ traceId: "t-a" })))).toEqual(["a"]);
      expectOk(await provider.deleteConversation("b"));
      expect(ids(expectOk(await provider.findConversations({ traceId: "t" })))).toEqual(["a"]);
    },
  },
);
