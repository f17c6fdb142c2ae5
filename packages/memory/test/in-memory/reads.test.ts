import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type ConversationRecord,
  createInMemoryProvider,
  type InMemoryProvider,
  type MessageSelection,
} from "../../src/index.ts";
import {
  contents,
  expectError,
  expectInvalid,
  expectOk,
  ids,
} from "../../src/testing/fixtures/expectations.ts";
import { hostile, users } from "../../src/testing/fixtures/messages.ts";

let provider: InMemoryProvider;
beforeEach(() => {
  provider = createInMemoryProvider();
});

const recordOf = async (source = provider, id = "c"): Promise<ConversationRecord> => {
  const record = expectOk(await source.exportConversation(id));
  return record ?? expect.fail("expected a conversation");
};

describe("readConversation", () => {
  const select = async (messages: MessageSelection) => {
    const { conversation, firstPosition } = expectOk(await provider.readConversation("c", { messages }));
    return [firstPosition, contents(conversation?.messages ?? []).join("")];
  };

  beforeEach(async () => {
    // Positions 2 to 6.
    expectOk(await provider.storeMessages("c", users(..."abcdefg"), {}, { maxMessages: 5 }));
  });

  it.each<readonly [MessageSelection, number, string]>([
    ["all", 2, "cdefg"],
    ["none", 7, ""],
    [{}, 2, "cdefg"],
    [{ limit: 2 }, 5, "fg"],
    [{ limit: 0 }, 7, ""],
    [{ limit: 99 }, 2, "cdefg"],
    [{ after: -1 }, 2, "cdefg"],
    [{ after: 0, limit: 2 }, 2, "cd"],
    [{ after: 3 }, 4, "efg"],
    [{ after: 3, limit: 1 }, 4, "e"],
    [{ after: 6 }, 7, ""],
    [{ after: 99 }, 7, ""],
    [{ before: 4 }, 2, "cd"],
    [{ before: 5, limit: 2 }, 3, "de"],
    [{ before: 2 }, 7, ""],
    [{ before: 0 }, 7, ""],
    [{ before: 99, limit: 1 }, 6, "g"],
    [{ after: 2, before: 6 }, 3, "def"],
    [{ after: 2, before: 6, limit: 2 }, 3, "de"],
    [{ after: 5, before: 3 }, 7, ""],
  ])("selects %j by positions", async (messages, firstPosition, texts) => {
    expect(await select(messages)).toEqual([firstPosition, texts]);
  });

  it("counts all messages with any selection", async () => {
    const { conversation } = expectOk(await provider.readConversation("c", { messages: "none" }));
    expect(conversation?.metadata).toMatchObject({ totalMessages: 5, nextPosition: 7, version: 1 });
  });

  it("finds a message by its own id while it is stored", async () => {
    const write = { messageIds: ["x", null], maxMessages: 3 };
    expectOk(await provider.appendMessages("c", users("h", "i"), {}, write));
    expect(await select({ messageId: "x" })).toEqual([7, "h"]);
    expect(await select({ messageId: "y" })).toEqual([9, ""]);
    expectOk(await provider.appendMessages("c", [], {}, { dropLast: 2 }));
    expect(await select({ messageId: "x" })).toEqual([7, ""]);
  });

  it("returns frozen data", async () => {
    const { conversation } = expectOk(await provider.readConversation("c", { messages: { limit: 1 } }));
    for (const value of [conversation, conversation?.messages, conversation?.messages[0]]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
  });

  it("returns the receipt of a write by its key, and none for another key", async () => {
    expectOk(await provider.appendMessages("c", users("h"), {}, { idempotencyKey: "k" }));
    expectOk(await provider.appendMessages("c", users("i")));
    const receipt = async (receiptFor: string, id = "c") =>
      expectOk(await provider.readConversation(id, { messages: "none", receiptFor })).receipt;
    expect(await receipt("k")).toEqual({ nextPosition: 8 });
    expect(await receipt("other")).toBeUndefined();
    expect(await receipt("k", "elsewhere")).toBeUndefined();
    expectOk(await provider.deleteConversation("c"));
    expect(await receipt("k")).toBeUndefined();
  });

  it("doesn't check who asks, even if another user owns the conversation", async () => {
    expectOk(await provider.storeMessages("d", users("1"), { userId: "u" }));
    const { conversation } = expectOk(await provider.readConversation("d", { userId: "other" }));
    expect(conversation?.userId).toBe("u");
  });

  it.each<readonly [string, unknown]>([
    ["options", null],
    ["options", []],
    ["options.message", { message: "all" }],
    ["options.messages", { messages: "some" }],
    ["options.messages", { messages: null }],
    ["options.messages", { messages: 5 }],
    ["options.messages", { messages: [1] }],
    ["options.messages.after", { messages: { after: -2 } }],
    ["options.messages.after", { messages: { after: "1" } }],
    ["options.messages.before", { messages: { before: -1 } }],
    ["options.messages.before", { messages: { before: Number.POSITIVE_INFINITY } }],
    ["options.messages.limit", { messages: { limit: 1.5 } }],
    ["options.messages.from", { messages: { from: 1 } }],
    ["options.messages.limit", { messages: { messageId: "x", limit: 1 } }],
    ["options.messages.messageId", { messages: { messageId: undefined } }],
    ["options.messages.messageId", { messages: { messageId: "" } }],
    ["options.userId", { userId: "" }],
    ["options.userId", { userId: null }],
    ["options.receiptFor", { receiptFor: 5 }],
  ])("refuses invalid %s: %j", async (path, options) => {
    await expectInvalid(() => provider.readConversation("c", hostile(options)), path);
  });

  it("refuses an invalid id, and options that throw when they are read", async () => {
    await expectInvalid(() => provider.readConversation(""), "conversationId");
    const throwing = Object.defineProperty({}, "messages", {
      get: () => {
        throw new Error("s3cret");
      },
      enumerable: true,
    });
    await expectInvalid(() => provider.readConversation("c", throwing), "options");
  });
});

describe("exportConversation and importConversation", () => {
  const fill = async () => {
    const metadata = { userId: "u", traceId: "t1", at: new Date(5), "\0": "\ud800" };
    const options = { messageIds: ["a", null, "c"], ttlSeconds: 3_600 };
    expectOk(await provider.storeMessages("c", users("1", "2", "3"), metadata, options));
    expectOk(await provider.appendMessages("c", users("4"), { traceId: "t2" }, { maxMessages: 3 }));
  };

  it("keep all stored data except the incarnation", async () => {
    await fill();
    const record = await recordOf();
    expect(record).toMatchObject({ version: 2, metadataVersion: 2, firstPosition: 1, ttlSeconds: 3_600 });
    expect(record).toMatchObject({ messageIds: [null, "c", null], traceIds: ["t1", "t2"], userId: "u" });
    expect(Object.keys(record.metadata).sort()).toEqual(["\0", "at", "traceId"]);
    const target = createInMemoryProvider();
    expectOk(await target.importConversation(record));
    expect(await recordOf(target)).toEqual(record);
    const [before, after] = await Promise.all(
      [provider, target].map(async (each) => expectOk(await each.readConversation("c"))),
    );
    expect(after?.incarnation).not.toBe(before?.incarnation);
    const { incarnation, historyDigest } = after?.conversation?.metadata ?? {};
    expect(historyDigest).not.toBe(before?.conversation?.metadata?.historyDigest);
    const same = { ...before?.conversation?.metadata, incarnation, historyDigest };
    expect(after?.conversation?.metadata).toEqual(same);
    expect(ids(expectOk(await target.findConversations({ traceId: "t1" })))).toEqual(["c"]);
    expectOk(await target.appendMessages("c", users("5"), {}, { expectedVersion: 2 }));
    expect(await recordOf(target)).toMatchObject({ version: 3, firstPosition: 1 });
  });

  it("return frozen data, and null for a missing conversation", async () => {
    expect(expectOk(await provider.exportConversation("c"))).toBeNull();
    await fill();
    const record = await recordOf();
    for (const value of [record, record.messages, record.messageIds, record.metadata, record.traceIds]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
  });

  it("accept an empty conversation, and leave out missing fields", async () => {
    expectOk(await provider.storeMessages("c", []));
    const record = await recordOf();
    expect(Object.keys(record)).not.toContain("messageIds");
    expect(Object.keys(record)).not.toContain("ttlSeconds");
    expectOk(await provider.importConversation({ ...record, conversationId: "d", firstPosition: 7 }));
    expect(await recordOf(provider, "d")).toMatchObject({ messages: [], firstPosition: 7, version: 1 });
  });

  it("refuse an existing conversation, and succeed again under a key", async () => {
    await fill();
    const record = { ...(await recordOf()), conversationId: "d" };
    expectOk(await provider.importConversation(record, { idempotencyKey: "k" }));
    expectOk(await provider.importConversation(record, { idempotencyKey: "k" }));
    const again = expectError(await provider.importConversation(record), "MemoryConflictError");
    expect(again).toMatchObject({ reason: "version", actualVersion: 2, operation: "importConversation" });
    const other = { ...record, version: 5 };
    const changed = await provider.importConversation(other, { idempotencyKey: "k" });
    expect(expectError(changed, "MemoryConflictError").reason).toBe("idempotency-key");
  });

  it("restore nothing that was erased since the restore began", async () => {
    await fill();
    const record = await recordOf();
    expectOk(await provider.deleteConversation("c"));
    const { incarnation } = expectOk(await provider.readConversation("c", { userId: "u" }));
    expectOk(await provider.clearUserConversations("u"));
    const result = await provider.importConversation(record, { expectedIncarnation: incarnation });
    expect(expectError(result, "MemoryConflictError").reason).toBe("incarnation");
    expect(expectOk(await provider.getConversation("c"))).toBeNull();
  });

  it("keep the expiry by the source's last activity", async () => {
    await fill();
    const record = { ...(await recordOf()), conversationId: "d" };
    const longAgo = new Date(Date.now() - 3_600_000);
    expectOk(await provider.importConversation({ ...record, lastActivity: longAgo }));
    expect(expectOk(await provider.getConversation("d"))).toBeNull();
  });

  it("set no owner from the metadata", async () => {
    await fill();
    const { userId: _, ...rest } = await recordOf();
    const forged = { ...rest, conversationId: "d", metadata: { userId: "victim", version: 99 } };
    expectOk(await provider.importConversation(forged));
    const { conversation } = expectOk(await provider.readConversation("d"));
    expect(conversation?.userId).toBeUndefined();
    expect(conversation?.metadata).toMatchObject({ version: 2 });
  });

  it("keep the order of activity if a full store evicts", async () => {
    const small = createInMemoryProvider({ maxConversations: 2 });
    const evicted = vi.fn();
    small.on("conversation_evicted", evicted);
    await fill();
    const record = await recordOf();
    expectOk(await small.storeMessages("new", users("1")));
    const old = { ...record, lastActivity: new Date(Date.now() - 1_000), conversationId: "old" };
    expectOk(await small.importConversation(old));
    expectOk(await small.storeMessages("newest", users("1")));
    expect(evicted.mock.calls).toEqual([["old"]]);
  });

  it.each<readonly [string, object]>([
    ["conversationId", { conversationId: "" }],
    ["metadata.userId", { userId: "" }],
    ["messages", { messages: undefined }],
    ["messages[0].role", { messages: [{ role: "root", content: "" }], messageIds: undefined }],
    ["options.messageIds", { messageIds: ["a"] }],
    ["record.metadata", { metadata: undefined }],
    ["record.metadata", { metadata: new Map() }],
    ["record.createdAt", { createdAt: "2026-01-01" }],
    ["record.createdAt", { createdAt: new Date(Number.NaN) }],
    ["record.createdAt", { createdAt: new Date(-8.64e15) }],
    ["record.lastActivity", { lastActivity: undefined }],
    ["record.lastActivity", { lastActivity: new Date(8.64e15) }],
    ["record.version", { version: 0 }],
    ["record.version", { version: 2 ** 53 - 1 }],
    ["record.metadataVersion", { metadataVersion: -1 }],
    ["record.firstPosition", { firstPosition: 0.5 }],
    ["record.firstPosition", { firstPosition: undefined }],
    ["record.traceIds", { traceIds: undefined }],
    ["record.traceIds[1]", { traceIds: ["t", ""] }],
    ["options.ttlSeconds", { ttlSeconds: 0 }],
    ["record.incarnation", { incarnation: "x" }],
  ])("refuse a record with an invalid %s", async (path, fields) => {
    await fill();
    const record = { ...(await recordOf()), conversationId: "d", ...fields };
    await expectInvalid(() => provider.importConversation(record as ConversationRecord), path);
    expect(expectOk(await provider.getStats()).totalConversations).toBe(1);
  });

  it("refuse values that aren't records, and unknown options", async () => {
    for (const record of [null, undefined, "c", []]) {
      await expectInvalid(() => provider.importConversation(hostile(record)), "record");
    }
    await fill();
    const record = { ...(await recordOf()), conversationId: "d" };
    const call = (options: unknown) => () => provider.importConversation(record, hostile(options));
    await expectInvalid(call({ expectedVersion: 0 }), "options.expectedVersion");
    await expectInvalid(call({ expectedIncarnation: "none:" }), "options.expectedIncarnation");
    await expectInvalid(call(null), "options");
    await expectInvalid(() => provider.exportConversation("\0"), "conversationId");
  });

  it("read each field of a record once", async () => {
    await fill();
    const record = { ...(await recordOf()), conversationId: "d" };
    let reads = 0;
    const shifting = Object.defineProperty({ ...record }, "createdAt", {
      enumerable: true,
      get: () => (reads++ === 0 ? new Date(7) : new Date(Number.NaN)),
    });
    expectOk(await provider.importConversation(shifting));
    expect((await recordOf(provider, "d")).createdAt).toEqual(new Date(7));
  });
});
