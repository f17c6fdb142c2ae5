import { expect } from "vitest";
import type { ConversationRecord, VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import {
  expectAbsent,
  expectConflict,
  expectOk,
  ids,
  incarnationOf,
  read,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { answering, append, calling, user, users } from "../../fixtures/messages.ts";
import { nextInstant } from "../../fixtures/timing.ts";
import { defineSpec } from "../../kit/spec.ts";

type Provider = VersionedMemoryProvider;

const exported = async (provider: Provider, id = "c"): Promise<ConversationRecord> =>
  expectOk(await provider.exportConversation(id)) ?? expect.fail("expected a record");

/** Stores a conversation with all kinds of data. */
async function storeRich(provider: Provider): Promise<ConversationRecord> {
  // Its version, metadata version, first position and number of messages are all different, so that a test notices if a
  // store confuses two of them.
  const first = { userId: "u", traceId: "t-1", at: new Date(5), nested: { b: 1, a: [null, "\0\ud800"] } };
  const options = { ttlSeconds: 3_600, messageIds: ["m-1", null, "m-3"] };
  expectOk(await append(provider, "c", users("0", "1", "2"), first, options));
  expectOk(await provider.appendMessages("c", [user("3"), calling("a"), answering("a")], { traceId: "t-2" }));
  expectOk(await provider.appendMessages("c", [], { topic: "t" }));
  await nextInstant();
  expectOk(await provider.appendMessages("c", users("6"), { traceId: "t-3" }, { maxMessages: 5 }));
  return exported(provider);
}

// Stores may return trace ids in any order.
/** Returns a record with sorted trace ids. */
const comparable = (record: ConversationRecord) => ({ ...record, traceIds: [...record.traceIds].sort() });

const pastRecord = (changes: Partial<ConversationRecord> = {}): ConversationRecord => ({
  conversationId: "c",
  messages: users("1", "2"),
  metadata: { topic: "t" },
  createdAt: new Date(1_000),
  lastActivity: new Date(2_000),
  version: 9,
  metadataVersion: 4,
  firstPosition: 7,
  traceIds: ["t-1", "t-2"],
  ...changes,
});

export const imports = defineSpec(
  {
    level: "contract",
    subject: "exportConversation and importConversation",
    why: "A moved or restored conversation loses its dates, its traces or its place in the order, or expires late.",
    hint: "write() with `source`: take everything from it except the incarnation; read() with `forExport`: traces, ids and ttl.",
  },
  {
    "export the stored data": async ({ provider }) => {
      const record = await storeRich(provider);
      const { messages, metadata } = await readConversation(provider, "c");
      const { createdAt, updatedAt: _, lastActivity, totalMessages: __, ...rest } = metadata;
      const { version, metadataVersion, nextPosition: ___, incarnation: ____, ...others } = rest;
      const { historyDigest: _____, ...fields } = others;
      expect(comparable(record)).toEqual({
        ...{ conversationId: "c", userId: "u", messages, metadata: fields, createdAt, lastActivity },
        ...{ version, metadataVersion, firstPosition: 2, ttlSeconds: 3_600 },
        ...{ traceIds: ["t-1", "t-2", "t-3"], messageIds: ["m-3", null, null, null, null] },
      });
      expect({ version, metadataVersion }).toEqual({ version: 3, metadataVersion: 4 });
    },

    "export null for a missing conversation, and no ids if no message has one": async ({ provider }) => {
      expect(expectOk(await provider.exportConversation("c"))).toBeNull();
      expectOk(await provider.storeMessages("c", users("1")));
      const record = await exported(provider);
      for (const field of ["messageIds", "ttlSeconds", "userId"]) expect(record).not.toHaveProperty(field);
      expect(record).toMatchObject({
        metadata: {},
        traceIds: [],
        version: 1,
        metadataVersion: 1,
        firstPosition: 0,
      });
    },

    "keep everything when they move to another store": async (scenario) => {
      const record = await storeRich(scenario.provider);
      const target = (await scenario.open()).provider;
      await nextInstant();
      expectOk(await target.importConversation(record));
      expect(comparable(await exported(target))).toEqual(comparable(record));
      const source = await readConversation(scenario.provider, "c");
      const { incarnation: was, historyDigest: _, ...kept } = source.metadata;
      const { incarnation, historyDigest: __, ...metadata } = (await readConversation(target, "c")).metadata;
      expect(metadata).toEqual(kept);
      expect(incarnation).not.toBe(was);
    },

    "keep everything when they move back, under a new incarnation": async ({ provider }) => {
      const record = await storeRich(provider);
      const before = await incarnationOf(provider);
      expectOk(await provider.deleteConversation("c"));
      expectOk(await provider.importConversation(record));
      expect(comparable(await exported(provider))).toEqual(comparable(record));
      const stale = { expectedIncarnation: before, expectedVersion: record.version };
      expectConflict(await provider.appendMessages("c", users("x"), {}, stale), "incarnation");
    },

    "find an import by its user, each of its traces and the time of its source": async ({ provider }) => {
      expectOk(await append(provider, "new", users("1"), { userId: "u", traceId: "t-1" }));
      expectOk(await provider.importConversation(pastRecord({ userId: "u" })));
      const past = new Date(2_000);
      for (const query of [
        { traceId: "t-2" },
        { traceId: "t-1", until: past },
        { userId: "u", since: past, until: past },
        { until: past },
        { conversationId: "c", userId: "u" },
      ]) {
        expect(ids(expectOk(await provider.findConversations(query))), JSON.stringify(query)).toEqual(["c"]);
      }
      expect(ids(expectOk(await provider.findConversations({ userId: "u" })))).toEqual(["new", "c"]);
      expect(ids(expectOk(await provider.findConversations({ since: new Date(2_001) })))).toEqual(["new"]);
      const stats = expectOk(await provider.getStats("u"));
      expect(stats).toMatchObject({
        totalConversations: 2,
        totalMessages: 3,
        oldestConversation: new Date(1_000),
      });
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(2);
      await expectAbsent(provider, "c");
    },

    "continue the source's counts": async ({ provider }) => {
      expectOk(await provider.importConversation(pastRecord({ messageIds: ["a", "b"] })));
      const options = { expectedVersion: 9, expectedMetadataVersion: 4, messageIds: ["b", "c"] };
      expectOk(await provider.appendMessages("c", users("2", "3"), { x: 1 }, options));
      const reading = await read(provider);
      expect(reading).toMatchObject({ firstPosition: 7, conversation: { messages: users("1", "2", "3") } });
      const { metadata } = await readConversation(provider, "c");
      const counters = { version: 10, metadataVersion: 5, nextPosition: 10, topic: "t", x: 1 };
      expect(metadata).toMatchObject({ ...counters, createdAt: new Date(1_000) });
      expect(metadata.lastActivity.getTime()).toBeGreaterThan(2_000);
      const byId = await read(provider, { messages: { messageId: "a" } });
      expect(byId).toMatchObject({ firstPosition: 7, conversation: { messages: users("1") } });
      const other = { messageIds: ["a"] };
      expectConflict(await provider.appendMessages("c", users("other"), {}, other), "message-id");
    },

    "accept a conversation without messages and metadata": async ({ provider }) => {
      const empty = pastRecord({ messages: [], metadata: {}, metadataVersion: 0, traceIds: [] });
      expectOk(await provider.importConversation(empty));
      expect(await exported(provider)).toEqual(empty);
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        nextPosition: 7,
        totalMessages: 0,
      });
    },

    "refuse an existing conversation, and leave it unchanged": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("kept")));
      const before = await readConversation(provider, "c");
      const refused = expectConflict(await provider.importConversation(pastRecord()), "version");
      expect(refused).toMatchObject({ actualVersion: 1, operation: "importConversation" });
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(expectOk(await provider.findConversations({ traceId: "t-2" }))).toEqual([]);
    },

    "succeed for a retry under its key": async ({ provider }) => {
      const again = () => provider.importConversation(pastRecord(), { idempotencyKey: "k" });
      expectOk(await again());
      expectOk(await provider.appendMessages("c", users("3")));
      expectOk(await again());
      expect(await readContents(provider, "c")).toEqual(["1", "2", "3"]);
      const other = pastRecord({ version: 10 });
      expectConflict(await provider.importConversation(other, { idempotencyKey: "k" }), "idempotency-key");
    },

    "bring no erased data back": async ({ provider }) => {
      const before = await incarnationOf(provider, "c", "u");
      expectOk(await provider.clearUserConversations("u"));
      const record = pastRecord({ userId: "u" });
      const stale = await provider.importConversation(record, { expectedIncarnation: before });
      expectConflict(stale, "incarnation");
      await expectAbsent(provider, "c");
      const expectedIncarnation = await incarnationOf(provider, "c", "u");
      expectOk(await provider.importConversation(record, { expectedIncarnation }));
    },
  },
);
