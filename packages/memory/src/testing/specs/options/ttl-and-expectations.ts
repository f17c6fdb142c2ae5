import { expect } from "vitest";
import {
  expectAbsent,
  expectConflict,
  expectError,
  expectOk,
  incarnationOf,
  read,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users, writeMethods, writes } from "../../fixtures/messages.ts";
import { sleep } from "../../fixtures/timing.ts";
import { defineSpec } from "../../kit/spec.ts";

/** A lifetime that is long enough for a few calls. */
const TTL = { ttlSeconds: 3 };
const expired = () => sleep(3_100);
const owned = { userId: "u", topic: "old" };

export const expiredIdentities = defineSpec(
  {
    level: "ttl",
    subject: "options.ttlSeconds, and what a write expects",
    why: "A late write goes into an expired conversation, or into the next one under its id.",
    hint: "write(): check the expiry first: an expired conversation has no incarnation, version, key, id or position left.",
    requires: ["ttl"],
    concurrent: true,
  },
  {
    "lets an append find nothing": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), owned, { ttlSeconds: 1 }));
      await expired();
      for (const options of [{}, { dropLast: 1 }, { maxMessages: 1 }, { idempotencyKey: "k" }]) {
        const missing = await provider.appendMessages("c", users("2"), owned, options);
        expectError(missing, "MemoryNotFoundError");
      }
      await expectAbsent(provider, "c");
      expectOk(await provider.appendMessages("c", users("2"), { userId: "v" }, { createIfMissing: true }));
      expect(await readConversation(provider, "c")).toMatchObject({ userId: "v", messages: users("2") });
    },

    "refuses writes that were decided before, even if the conversation was created again": async ({
      provider,
    }) => {
      expectOk(await append(provider, "c", users("1"), owned, TTL));
      const expectedIncarnation = await incarnationOf(provider);
      const refuse = async () => {
        for (const method of writeMethods) {
          const refused = await writes[method](provider, "c", users("x"), {}, { expectedIncarnation });
          expectConflict(refused, "incarnation");
        }
      };
      await expired();
      await refuse();
      await expectAbsent(provider, "c");
      expectOk(await append(provider, "c", users("new"), owned, { expectedVersion: 0 }));
      await refuse();
      expect(await incarnationOf(provider)).not.toBe(expectedIncarnation);
      expect((await readConversation(provider, "c")).messages).toEqual(users("new"));
    },

    "starts every count again, and knows no key and no id": async ({ provider }) => {
      const options = { ...TTL, idempotencyKey: "k", messageIds: ["a", "b"] };
      expectOk(await append(provider, "c", users("1", "2"), owned, options));
      await expired();
      const reading = await read(provider, { receiptFor: "k", messages: { messageId: "a" } });
      expect(reading).toEqual({
        ...{ conversation: null, incarnation: expect.any(String), firstPosition: 0 },
        readAt: expect.any(Date),
      });
      const again = {
        idempotencyKey: "k",
        messageIds: ["a"],
        expectedVersion: 0,
        expectedMetadataVersion: 0,
      };
      expectOk(await append(provider, "c", users("other"), {}, again));
      const { metadata } = await readConversation(provider, "c");
      expect(metadata).toMatchObject({ version: 1, metadataVersion: 0, totalMessages: 1, nextPosition: 1 });
    },

    "distinguishes a deletion after the expiry": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), owned, { ttlSeconds: 1 }));
      await expired();
      const before = await incarnationOf(provider, "c", "u");
      expect(expectOk(await provider.deleteConversation("c"))).toBe(false);
      expectConflict(
        await append(provider, "c", users("2"), owned, { expectedIncarnation: before }),
        "incarnation",
      );
      await expectAbsent(provider, "c");
    },

    "refuses a first write from before a deletion, even if the next conversation expired": async ({
      provider,
    }) => {
      const expectedIncarnation = await incarnationOf(provider, "c", "u");
      expect(expectOk(await provider.deleteConversation("c"))).toBe(false);
      expectOk(await append(provider, "c", users("1"), owned, { ttlSeconds: 1 }));
      await expired();
      for (const method of writeMethods) {
        const late = await writes[method](provider, "c", users("2"), owned, { expectedIncarnation });
        expectConflict(late, "incarnation");
      }
      await expectAbsent(provider, "c");
    },

    "counts from the last activity of an import's source": async ({ provider }) => {
      const now = Date.now();
      const record = (conversationId: string, lastActivity: Date, ttlSeconds: number) => ({
        ...{
          conversationId,
          messages: users("1"),
          metadata: {},
          createdAt: new Date(0),
          lastActivity,
          ttlSeconds,
        },
        ...{ version: 1, metadataVersion: 0, firstPosition: 0, traceIds: ["t"] },
      });
      expectOk(await provider.importConversation(record("gone", new Date(now - 60_000), 30)));
      expectOk(await provider.importConversation(record("kept", new Date(now - 60_000), 3_600)));
      expectOk(await provider.importConversation(record("going", new Date(now - 60_000), 62)));
      await expectAbsent(provider, "gone");
      await expired();
      await expectAbsent(provider, "going");
      expect((await readConversation(provider, "kept")).messages).toEqual(users("1"));
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toHaveLength(1);
    },
  },
);
