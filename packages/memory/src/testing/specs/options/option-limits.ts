import { expect } from "vitest";
import type { ConversationRecord } from "../../../contract/versioned-provider.ts";
import { expectAbsent, expectInvalid, expectOk, readConversation } from "../../fixtures/expectations.ts";
import { refusedIds } from "../../fixtures/hostile-ids.ts";
import { append, hostile, users, writeMethods } from "../../fixtures/messages.ts";
import { defineSpec, inputLimits } from "../../kit/spec.ts";

const notCounts = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, {}, 1n];

export const optionLimits = defineSpec(inputLimits("options of a write"), {
  "refuse counts that aren't whole numbers from 0": async ({ provider }) => {
    expectOk(await provider.storeMessages("c", users("1")));
    for (const value of notCounts) {
      const drop = { dropLast: hostile(value) };
      await expectInvalid(() => provider.appendMessages("c", [], {}, drop), "options.dropLast");
      const options = { expectedMetadataVersion: hostile(value) };
      for (const method of writeMethods) {
        await expectInvalid(() => provider[method]("c", [], {}, options), "options.expectedMetadataVersion");
      }
    }
    expect((await readConversation(provider, "c")).metadata.version).toBe(1);
  },

  "refuse another createIfMissing": async ({ provider }) => {
    for (const value of ["owned", "", 1, null, {}, []]) {
      const options = { createIfMissing: hostile(value) };
      await expectInvalid(() => provider.appendMessages("c", [], {}, options), "options.createIfMissing");
    }
    await expectAbsent(provider, "c");
  },

  "refuse options that a replacement doesn't have": async ({ provider }) => {
    expectOk(await provider.storeMessages("c", users("1")));
    for (const dropLast of [0, 1]) {
      await expectInvalid(() => provider.storeMessages("c", [], {}, { dropLast }), "options.dropLast");
    }
    for (const createIfMissing of [true, false, "unowned"] as const) {
      const options = { createIfMissing };
      await expectInvalid(() => provider.storeMessages("c", [], {}, options), "options.createIfMissing");
    }
  },

  "can be a signal, aborted or not, which changes nothing": async ({ provider }) => {
    const options = { idempotencyKey: "k" };
    for (const signal of [new AbortController().signal, AbortSignal.abort()]) {
      expectOk(await append(provider, "c", users("1"), {}, { ...options, signal }));
      expect(expectOk(await provider.readConversation("c", { signal })).conversation?.messages).toEqual(
        users("1"),
      );
    }
    expectOk(await append(provider, "c", users("1"), {}, options));
    expectOk(await provider.storeMessages("c", users("2"), {}, { signal: AbortSignal.abort() }));
    expect((await readConversation(provider, "c")).messages).toEqual(users("2"));
  },

  "refuse invalid message ids, and a wrong number of them": async ({ provider }) => {
    for (const messageIds of [[], ["a"], ["a", "b", "c"], "ab", null, {}, 5]) {
      const options = { messageIds: hostile(messageIds) };
      for (const method of writeMethods) {
        await expectInvalid(() => provider[method]("c", users("1", "2"), {}, options), "options.messageIds");
      }
    }
    for (const id of refusedIds) {
      if (id === null) continue; // A message without an id.
      const options = { messageIds: [hostile(id)] };
      await expectInvalid(() => append(provider, "c", users("1"), {}, options), "options.messageIds[0]");
    }
    for (const id of [...refusedIds, undefined]) {
      const read = () => provider.readConversation("c", { messages: { messageId: hostile(id) } });
      await expectInvalid(read, "options.messages.messageId");
    }
    await expectAbsent(provider, "c");
  },

  "refuse incarnations that no read returned, and invalid keys and users": async ({ provider }) => {
    const path = "options.expectedIncarnation";
    for (const value of ["none:", "none:a", "none:a:b:c", "none:ä:", "", "x".repeat(256), null, 5, {}]) {
      const options = { expectedIncarnation: hostile(value) };
      await expectInvalid(() => append(provider, "c", users("1"), {}, options), path);
    }
    for (const id of refusedIds.map(hostile)) {
      await expectInvalid(() => provider.readConversation(id), "conversationId");
      await expectInvalid(() => provider.exportConversation(id), "conversationId");
      await expectInvalid(() => provider.readConversation("c", { userId: id }), "options.userId");
      await expectInvalid(() => provider.readConversation("c", { receiptFor: id }), "options.receiptFor");
    }
    await expectAbsent(provider, "c");
  },
});

const record: ConversationRecord = {
  conversationId: "c",
  messages: users("1"),
  metadata: {},
  createdAt: new Date(1),
  lastActivity: new Date(2),
  version: 1,
  metadataVersion: 0,
  firstPosition: 0,
  traceIds: [],
};

const wrongFields: Readonly<Record<string, readonly unknown[]>> = {
  "record.createdAt": [new Date(Number.NaN), "2026-01-01", 0, null, undefined],
  "record.lastActivity": [new Date(Number.NaN), "2026-01-01", 0, null, undefined],
  "record.version": [0, ...notCounts, undefined],
  "record.metadataVersion": [...notCounts, undefined],
  "record.firstPosition": [...notCounts, undefined],
  "record.traceIds": [null, "t", {}, undefined],
  "record.metadata": [null, "x", [], new Map()],
  "record.unknown": [1],
};

export const importLimits = defineSpec(inputLimits("importConversation"), {
  "refuses an invalid record with the path": async ({ provider }) => {
    for (const value of [undefined, null, "record", 5, []]) {
      await expectInvalid(() => provider.importConversation(hostile(value)));
    }
    for (const [path, values] of Object.entries(wrongFields)) {
      for (const value of values) {
        const changed = { ...record, [path.replace("record.", "")]: value };
        await expectInvalid(() => provider.importConversation(hostile(changed)), path);
      }
    }
    await expectAbsent(provider, "c");
  },

  "refuses invalid ids, messages and options": async ({ provider }) => {
    const importing = (changes: object, options?: object) => () =>
      provider.importConversation(hostile({ ...record, ...changes }), hostile(options));
    for (const id of refusedIds) {
      await expectInvalid(importing({ conversationId: id }), "conversationId");
      await expectInvalid(importing({ userId: id }), "metadata.userId");
      await expectInvalid(importing({ traceIds: [id] }), "record.traceIds[0]");
    }
    await expectInvalid(importing({ messages: [{ role: "user" }] }));
    await expectInvalid(importing({ messageIds: [] }), "options.messageIds");
    await expectInvalid(importing({ ttlSeconds: 0 }), "options.ttlSeconds");
    await expectInvalid(importing({ metadata: { x: Number.NaN } }), "metadata.x");
    await expectInvalid(importing({}, { maxMessages: 1 }), "options.maxMessages");
    await expectAbsent(provider, "c");
  },
});
