import { expect } from "vitest";
import type { MemoryProvider } from "../../../contract/provider.ts";
import {
  contents,
  expectAbsent,
  expectInvalid,
  expectOk,
  ids,
  readConversation,
} from "../../fixtures/expectations.ts";
import { refusedIds, storableIds } from "../../fixtures/hostile-ids.ts";
import { append, hostile, users } from "../../fixtures/messages.ts";
import { forEachConcurrently } from "../../fixtures/timing.ts";
import { defineSpec } from "../../kit/spec.ts";

/** Makes one write for each id in `storableIds`. */
const forEachId = (write: (id: string) => ReturnType<MemoryProvider["appendMessages"]>): Promise<void> =>
  forEachConcurrently(storableIds, async (id) => expectOk(await write(id)));

async function expectCount(provider: MemoryProvider, conversations: number): Promise<void> {
  expect(expectOk(await provider.getStats()).totalConversations).toBe(conversations);
}

export const hostileIds = defineSpec(
  {
    level: "limits",
    subject: "hostile ids",
    why: "A user who can choose an id reads or deletes the data of others.",
    hint: "Bind ids as parameters; escape or hash them in keys, patterns and file names; compare them byte by byte.",
  },
  {
    "as conversation ids are kept exactly and apart": async ({ provider }) => {
      await forEachId((id) => provider.storeMessages(id, users(`stored ${id}`)));
      await forEachId((id) => provider.appendMessages(id, users(`appended ${id}`), { id }));
      await expectCount(provider, storableIds.length);
      await forEachConcurrently(storableIds, async (id) => {
        const conversation = await readConversation(provider, id);
        expect(conversation.conversationId).toBe(id);
        expect(contents(conversation.messages)).toEqual([`stored ${id}`, `appended ${id}`]);
        expect(conversation.metadata["id"]).toBe(id);
        expect(expectOk(await provider.findConversations({ conversationId: id }))).toEqual([conversation]);
      });
      const found = ids(expectOk(await provider.findConversations({})));
      expect(new Set(found)).toEqual(new Set(storableIds));
    },

    "as conversation ids delete only themselves": async ({ provider }) => {
      await forEachId((id) => provider.storeMessages(id, users("1")));
      for (const [index, id] of storableIds.entries()) {
        expect(expectOk(await provider.deleteConversation(id))).toBe(true);
        const left = storableIds.length - index - 1;
        await Promise.all([expectAbsent(provider, id), expectCount(provider, left)]);
      }
    },

    "as user ids own, count and clear only their own data": async ({ provider }) => {
      await forEachId((userId) => provider.storeMessages(userId, users(userId), { userId }));
      await forEachConcurrently(storableIds, async (userId) => {
        const found = expectOk(await provider.findConversations({ userId }));
        expect(found.map((conversation) => conversation.userId)).toEqual([userId]);
        expect(found.map(({ messages }) => contents(messages))).toEqual([[userId]]);
        expect(expectOk(await provider.getStats(userId)).totalConversations).toBe(1);
      });
      for (const [index, userId] of storableIds.entries()) {
        expect(expectOk(await provider.clearUserConversations(userId))).toBe(1);
        await expectCount(provider, storableIds.length - index - 1);
      }
    },

    "as trace ids find only their own conversations": async ({ provider }) => {
      await forEachId((traceId) => append(provider, traceId, users("1"), { traceId }));
      await forEachConcurrently(storableIds, async (traceId) => {
        expect(ids(expectOk(await provider.findConversations({ traceId })))).toEqual([traceId]);
        expect((await readConversation(provider, traceId)).metadata["traceId"]).toBe(traceId);
      });
    },

    "as idempotency keys are distinguished": async ({ provider }) => {
      const write = (idempotencyKey: string) =>
        append(provider, "c", users(idempotencyKey), {}, { idempotencyKey });
      await forEachId(write);
      await forEachId(write);
      const { messages } = await readConversation(provider, "c");
      expect([...contents(messages)].sort()).toEqual([...storableIds].sort());
    },

    "never meet across a separator": async ({ provider }) => {
      const neighbours = [
        { id: "a", other: "b:c" },
        { id: "a:b", other: "c" },
        { id: "b:c", other: "a" },
        { id: "{a}", other: "}b" },
        { id: "{a}}", other: "b" },
      ];
      for (const { id, other } of neighbours) {
        const options = { idempotencyKey: other };
        expectOk(await append(provider, id, users(id), { userId: other, traceId: other }, options));
      }
      for (const { id, other } of neighbours) {
        expect(contents((await readConversation(provider, id)).messages)).toEqual([id]);
        expect(ids(expectOk(await provider.findConversations({ userId: other })))).toEqual([id]);
        expect(ids(expectOk(await provider.findConversations({ traceId: other })))).toEqual([id]);
        expect(ids(expectOk(await provider.findConversations({ userId: id })))).not.toContain(id);
      }
    },

    "that are invalid are refused as a conversation id": async ({ provider }) => {
      for (const id of refusedIds.map(hostile)) {
        await expectInvalid(() => provider.storeMessages(id, users("1")), "conversationId");
        await expectInvalid(() => provider.appendMessages(id, users("1")), "conversationId");
        await expectInvalid(() => provider.getConversation(id), "conversationId");
        await expectInvalid(() => provider.getRecentMessages(id), "conversationId");
        await expectInvalid(() => provider.deleteConversation(id), "conversationId");
        await expectInvalid(() => provider.findConversations({ conversationId: id }), "query.conversationId");
      }
      await expectInvalid(() => provider.getConversation(hostile(undefined)), "conversationId");
      await expectCount(provider, 0);
    },

    "that are invalid are refused as a user id": async ({ provider }) => {
      for (const userId of refusedIds.map(hostile)) {
        await expectInvalid(() => provider.storeMessages("c", users("1"), { userId }), "metadata.userId");
        await expectInvalid(() => provider.appendMessages("c", users("1"), { userId }), "metadata.userId");
        await expectInvalid(() => provider.findConversations({ userId }), "query.userId");
        await expectInvalid(() => provider.clearUserConversations(userId), "userId");
        await expectInvalid(() => provider.getStats(userId), "userId");
      }
      await expectInvalid(() => provider.clearUserConversations(hostile(undefined)), "userId");
      await expectCount(provider, 0);
    },

    "that are invalid are refused as a trace id and as an idempotency key": async ({ provider }) => {
      for (const id of refusedIds.map(hostile)) {
        await expectInvalid(() => provider.appendMessages("c", [], { traceId: id }), "metadata.traceId");
        await expectInvalid(() => provider.storeMessages("c", [], { traceId: id }), "metadata.traceId");
        await expectInvalid(() => provider.findConversations({ traceId: id }), "query.traceId");
        const options = { idempotencyKey: id };
        await expectInvalid(() => provider.appendMessages("c", [], {}, options), "options.idempotencyKey");
        await expectInvalid(() => provider.storeMessages("c", [], {}, options), "options.idempotencyKey");
      }
      await expectCount(provider, 0);
    },
  },
);
