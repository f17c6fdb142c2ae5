import { expect } from "vitest";
import {
  expectConflict,
  expectError,
  expectOk,
  incarnationOf,
  read,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";
import { nearMs, timeOf } from "../methods/read-conversation.ts";

const owned = { userId: "u", traceId: "t" };

export const connections = defineSpec(
  {
    level: "concurrency",
    subject: "several connections",
    why: "One of two instances of an application doesn't see the other's data.",
    hint: "Keep no state in the provider that other processes can't see: no cache of conversations, keys or versions.",
    requires: ["multipleConnections"],
  },
  {
    "see another one's writes immediately": async ({ provider, connect }) => {
      const other = await connect();
      expectOk(await provider.storeMessages("c", users("1"), owned));
      expect(await readConversation(other, "c")).toEqual(await readConversation(provider, "c"));
      expectOk(await other.appendMessages("c", users("2"), { topic: "x" }, { expectedVersion: 1 }));
      expect(await readConversation(provider, "c")).toEqual(await readConversation(other, "c"));
      expect(expectOk(await provider.findConversations({ userId: "u" }))).toHaveLength(1);
      expect(expectOk(await other.deleteConversation("c"))).toBe(true);
      expect(expectOk(await provider.getConversation("c"))).toBeNull();
      for (const query of [{}, { userId: "u" }, { traceId: "t" }, { conversationId: "c" }]) {
        expect(expectOk(await provider.findConversations(query))).toEqual([]);
      }
      expect(expectOk(await provider.getStats("u"))).toEqual({ totalConversations: 0, totalMessages: 0 });
    },

    "return the same time, which is the store's": async ({ provider, connect }) => {
      const other = await connect();
      expectOk(await append(provider, "c", users("1")));
      for (const id of ["c", "elsewhere"]) {
        const startedAt = performance.now();
        const first = await timeOf(provider, {}, id);
        for (const connection of [other, provider, other]) {
          expect(Math.abs((await timeOf(connection, {}, id)) - first)).toBeLessThan(nearMs(startedAt));
        }
      }
    },

    "share the idempotency keys": async ({ provider, connect }) => {
      const other = await connect();
      for (const connection of [provider, other, provider]) {
        expectOk(await append(connection, "c", users("1"), {}, { idempotencyKey: "k" }));
      }
      for (const connection of [other, provider]) {
        const reused = await connection.appendMessages("c", users("2"), {}, { idempotencyKey: "k" });
        expectConflict(reused, "idempotency-key");
        expect((await read(connection, { receiptFor: "k" })).receipt).toEqual({ nextPosition: 1 });
      }
      expect((await readConversation(other, "c")).messages).toEqual(users("1"));
    },

    "count versions together, of messages and of metadata": async ({ provider, connect }) => {
      const other = await connect();
      expectOk(await append(provider, "c", users("0"), { turn: 0 }));
      for (let turn = 1; turn <= 6; turn++) {
        const [writer, reader] = turn % 2 === 1 ? [other, provider] : [provider, other];
        const current = { expectedVersion: turn, expectedMetadataVersion: turn };
        const stale = { ...current, expectedVersion: turn - 1 };
        const old = { ...current, expectedMetadataVersion: turn - 1 };
        expectConflict(await writer.appendMessages("c", users("x"), {}, stale), "version");
        expectConflict(await writer.appendMessages("c", users("x"), {}, old), "metadata-version");
        expectOk(await writer.appendMessages("c", users(`${turn}`), { turn }, current));
        const { metadata } = await readConversation(reader, "c");
        expect(metadata).toMatchObject({ version: turn + 1, metadataVersion: turn + 1, turn });
      }
    },

    "count positions together": async ({ provider, connect }) => {
      const other = await connect();
      expectOk(await append(provider, "c", users("0", "1", "2")));
      expectOk(await other.appendMessages("c", users("2b", "3"), {}, { dropLast: 1 }));
      expectOk(await provider.appendMessages("c", users("4")));
      expectOk(await other.appendMessages("c", [], {}, { maxMessages: 3 }));
      expectOk(await provider.appendMessages("c", users("4b", "5"), {}, { dropLast: 1 }));
      for (const connection of [provider, other]) {
        const whole = await read(connection);
        expect(whole).toMatchObject({
          firstPosition: 2,
          conversation: { messages: users("2b", "3", "4b", "5") },
        });
        const end = await read(connection, { messages: { after: 3 } });
        expect(end).toMatchObject({ firstPosition: 4, conversation: { messages: users("4b", "5") } });
      }
    },

    "know the ids of each other's messages": async ({ provider, connect }) => {
      const other = await connect();
      const ids = (...messageIds: readonly string[]) => ({ messageIds });
      expectOk(await append(provider, "c", users("1", "2"), {}, ids("a", "b")));
      expectOk(await other.appendMessages("c", users("2", "3"), {}, ids("b", "c")));
      expectConflict(await other.appendMessages("c", users("x"), {}, ids("a")), "message-id");
      expectConflict(await provider.appendMessages("c", users("x"), {}, ids("c")), "message-id");
      expectOk(await other.appendMessages("c", [], {}, { dropLast: 2 }));
      expectOk(await provider.appendMessages("c", users("3b", "2b"), {}, ids("c", "b")));
      expectOk(await other.appendMessages("c", [], {}, { maxMessages: 2 }));
      expectOk(await provider.appendMessages("c", users("1b"), {}, ids("a")));
      expect((await readConversation(other, "c")).messages).toEqual(users("3b", "2b", "1b"));
      const byId = await read(other, { messages: { messageId: "a" } });
      expect(byId.conversation?.messages).toEqual(users("1b"));
    },

    "see another one's erasures and what it creates again": async ({ provider, connect }) => {
      const other = await connect();
      expectOk(await append(provider, "c", users("1"), owned));
      const first = await incarnationOf(provider);
      expectOk(await other.deleteConversation("c"));
      expectError(await provider.appendMessages("c", users("2")), "MemoryNotFoundError");
      const none = await incarnationOf(provider, "c", "u");
      expectOk(await append(other, "c", users("new"), { userId: "v" }));
      expectConflict(await provider.appendMessages("c", users("2"), owned), "owner");
      for (const expectedIncarnation of [first, none]) {
        expectConflict(await append(provider, "c", users("2"), {}, { expectedIncarnation }), "incarnation");
      }
      const expectedIncarnation = await incarnationOf(other);
      expectOk(
        await provider.appendMessages("c", users("2"), {}, { expectedIncarnation, expectedVersion: 1 }),
      );
      expect((await readConversation(other, "c")).messages).toEqual(users("new", "2"));
    },

    "know which users another one cleared": async ({ provider, connect }) => {
      const other = await connect();
      expectOk(await append(provider, "c", users("1"), owned));
      const present = await incarnationOf(provider);
      const before = await incarnationOf(provider, "new", "u");
      expect(expectOk(await other.clearUserConversations("u"))).toBe(1);
      expectConflict(
        await append(provider, "c", users("2"), owned, { expectedIncarnation: present }),
        "incarnation",
      );
      expectConflict(
        await append(provider, "new", users("2"), owned, { expectedIncarnation: before }),
        "incarnation",
      );
      const expectedIncarnation = await incarnationOf(provider, "new", "u");
      expect(await incarnationOf(other, "new", "u")).toBe(expectedIncarnation);
      expectOk(await append(provider, "new", users("2"), owned, { expectedIncarnation }));
      expect(expectOk(await other.clearUserConversations("u"))).toBe(1);
    },
  },
);
