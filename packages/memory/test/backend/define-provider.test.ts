import { describe, expect, it, vi } from "vitest";
import {
  defineMemoryProvider,
  type MemoryBackend,
  type StoredConversation,
  type WriteConflictReason,
} from "../../src/adapter.ts";
import {
  type ConversationRecord,
  createMemoryConnectionError,
  createMemoryStorageError,
} from "../../src/index.ts";
import { expectError, expectOk, readConversation } from "../../src/testing/fixtures/expectations.ts";
import { users } from "../../src/testing/fixtures/messages.ts";

const stored = (overrides: Partial<StoredConversation> = {}): StoredConversation => ({
  conversationId: "c",
  messages: ['{"role":"user","content":"1"}'],
  metadata: {},
  createdAt: new Date(1),
  lastActivity: new Date(2),
  totalMessages: 1,
  version: 1,
  metadataVersion: 0,
  nextPosition: 1,
  incarnation: "i",
  ...overrides,
});

const reading = (conversation: StoredConversation): MemoryBackend["read"] => {
  return async () => ({ conversation, firstPosition: 0, readAt: new Date() });
};

/** By default, finds nothing and accepts every write. */
const backend = (overrides: Partial<MemoryBackend> = {}): MemoryBackend => ({
  name: "fake",
  write: async () => ({ status: "written" }),
  read: async () => ({ conversation: null }),
  find: async () => [],
  delete: async () => false,
  clearUser: async () => 0,
  stats: async () => ({ totalConversations: 0, totalMessages: 0 }),
  ping: async () => {},
  close: async () => {},
  toMemoryError: (operation, cause) =>
    createMemoryStorageError(operation, "the fake failed", { provider: "fake", cause }),
  ...overrides,
});

const RECORD: ConversationRecord = {
  conversationId: "c",
  messages: [{ role: "user", content: "s3cret" }],
  metadata: {},
  createdAt: new Date(1),
  lastActivity: new Date(2),
  version: 3,
  metadataVersion: 4,
  firstPosition: 5,
  traceIds: ["t"],
};

it("adds its name to an error whose backend doesn't name itself", async () => {
  const getStats = async (details: { readonly provider?: string }) => {
    const stats = async () => Promise.reject(new Error("disk full"));
    const toMemoryError = (operation: string) => createMemoryStorageError(operation, "it failed", details);
    return defineMemoryProvider(backend({ stats, toMemoryError })).getStats();
  };
  expect(await getStats({})).toMatchObject({ error: { provider: "fake" } });
  expect(await getStats({ provider: "the disk below" })).toMatchObject({
    error: { provider: "the disk below" },
  });
});

describe("a backend that throws", () => {
  const fail = async () => {
    throw Object.assign(new Error("disk full"), { code: "53100", detail: "s3cret" });
  };
  const provider = defineMemoryProvider(
    backend({ write: fail, read: fail, find: fail, delete: fail, clearUser: fail, stats: fail, close: fail }),
  );

  it.each([
    ["storeMessages", () => provider.storeMessages("c", users("s3cret"))],
    ["appendMessages", () => provider.appendMessages("c", users("s3cret"))],
    ["getConversation", () => provider.getConversation("c")],
    ["readConversation", () => provider.readConversation("c")],
    ["exportConversation", () => provider.exportConversation("c")],
    ["importConversation", () => provider.importConversation(RECORD)],
    ["findConversations", () => provider.findConversations({})],
    ["getRecentMessages", () => provider.getRecentMessages("c")],
    ["deleteConversation", () => provider.deleteConversation("c")],
    ["clearUserConversations", () => provider.clearUserConversations("u")],
    ["getStats", () => provider.getStats()],
    ["getStats", () => provider.getStats("u")],
  ] as const)("makes %s a tagged failure, by its own translation", async (operation, call) => {
    const error = expectError(await call(), "MemoryStorageError");
    expect(error).toMatchObject({ operation, provider: "fake" });
    expect(error.cause).toEqual({ name: "Error", message: "disk full", code: "53100" });
    expect(JSON.stringify(error)).not.toContain("s3cret");
  });

  it("fails to close every time", async () => {
    const closing = defineMemoryProvider(backend({ close: fail }));
    const error = expectError(await closing.close(), "MemoryStorageError");
    expect(error.operation).toBe("close");
    expectError(await closing.getConversation("c"), "MemoryConnectionError");
  });

  it("gets a tagged error even if it throws before it returns a promise, whatever it throws", async () => {
    const rude = defineMemoryProvider(
      backend({
        read: () => {
          throw "s3cret";
        },
      }),
    );
    const error = expectError(await rude.getConversation("c"), "MemoryStorageError");
    expect(error.cause).toEqual({ name: "NonError", message: "a string was thrown" });
  });
});

describe("healthCheck", () => {
  it("returns the time of one ping", async () => {
    const health = expectOk(await defineMemoryProvider(backend()).healthCheck());
    expect(health).toEqual({ healthy: true, latencyMs: expect.any(Number) });
  });

  it("returns an unreachable store as data", async () => {
    const provider = defineMemoryProvider(
      backend({
        ping: () => Promise.reject(new Error("ECONNREFUSED")),
        toMemoryError: () => createMemoryConnectionError("fake"),
      }),
    );
    const { healthy, latencyMs, error } = expectOk(await provider.healthCheck());
    expect({ healthy, latencyMs }).toEqual({ healthy: false, latencyMs: expect.any(Number) });
    expect(error).toContain("Cannot reach the fake memory store");
  });
});

describe("an invalid stored message", () => {
  const good = '{"role":"user","content":"1"}';
  const bodies = [
    "s3cret",
    '{"role":"s3cret","content":"s3cret"}',
    "null",
    '"s3cret"',
    '{"content":"s3cret"}',
    "",
  ];

  it.each(bodies)("is a storage error with its index and without its content: %s", async (body) => {
    const corrupt = stored({ messages: [good, good, body] });
    const provider = defineMemoryProvider(backend({ read: reading(corrupt), find: async () => [corrupt] }));
    for (const read of [
      () => provider.getConversation("c"),
      () => provider.readConversation("c"),
      () => provider.exportConversation("c"),
      () => provider.getRecentMessages("c"),
      () => provider.findConversations({}),
    ]) {
      const error = expectError(await read(), "MemoryStorageError");
      expect(error.message).toContain("stored message 2 is not a message");
      expect(error).toMatchObject({ provider: "fake", retryable: false });
      expect(JSON.stringify(error)).not.toContain("s3cret");
    }
  });
});

describe("defineMemoryProvider", () => {
  it("maps each conflict of a backend", async () => {
    const reasons: Record<WriteConflictReason, true> = {
      version: true,
      "metadata-version": true,
      incarnation: true,
      "idempotency-key": true,
      owner: true,
      "message-id": true,
      length: true,
    };
    for (const reason of Object.keys(reasons) as WriteConflictReason[]) {
      const write = async () => ({ status: "conflict" as const, reason, actualVersion: 7 });
      const result = await defineMemoryProvider(backend({ write })).appendMessages("c", []);
      const error = expectError(result, "MemoryConflictError");
      expect(error).toMatchObject({
        reason,
        actualVersion: 7,
        provider: "fake",
        operation: "appendMessages",
      });
    }
  });

  it("maps a missing conversation", async () => {
    const provider = defineMemoryProvider(backend({ write: async () => ({ status: "missing" }) }));
    const error = expectError(await provider.appendMessages("c", []), "MemoryNotFoundError");
    expect(error).toMatchObject({ conversationId: "c", provider: "fake", operation: "appendMessages" });
  });

  it("returns a success for a replayed write", async () => {
    const provider = defineMemoryProvider(backend({ write: async () => ({ status: "replayed" }) }));
    expect(expectOk(await provider.storeMessages("c", []))).toBeUndefined();
  });

  it("passes a write on checked, encoded and without the store's own fields", async () => {
    const write = vi.fn<MemoryBackend["write"]>(async () => ({ status: "written" }));
    const provider = defineMemoryProvider(backend({ write }));
    const metadata = { userId: "u", traceId: "t", at: new Date(5), version: 9, createdAt: new Date(0) };
    const options = {
      expectedVersion: 1,
      expectedMetadataVersion: 4,
      expectedIncarnation: "none:a:",
      createIfMissing: true,
      dropLast: 5,
      messageIds: ["m"],
      idempotencyKey: "k",
      maxMessages: 2,
      ttlSeconds: 3,
    };
    expectOk(await provider.appendMessages("c", [{ role: "tool", content: "\0" }], metadata, options));
    const hash = expect.stringMatching(/^[\da-f]{64}$/);
    expect(write).toHaveBeenCalledExactlyOnceWith({
      mode: "append",
      conversationId: "c",
      messages: [{ body: '{"role":"tool","content":"\\u0000"}', isToolResult: true, own: { id: "m", hash } }],
      userId: "u",
      traceId: "t",
      metadata: { traceId: "t", at: { $date: "1970-01-01T00:00:00.005Z" } },
      expectedVersion: 1,
      expectedMetadataVersion: 4,
      expectedIncarnation: { absent: { conversation: "a", user: null } },
      create: { incarnation: expect.stringMatching(/^[\da-f-]{36}$/) },
      dropLast: 5,
      idempotency: { key: "k", bodyHash: hash },
      maxMessages: 2,
      ttlSeconds: 3,
    });
  });

  it("passes an import on as a creation with its source", async () => {
    const write = vi.fn<MemoryBackend["write"]>(async () => ({ status: "written" }));
    expectOk(await defineMemoryProvider(backend({ write })).importConversation(RECORD));
    const { createdAt, lastActivity, version, metadataVersion, firstPosition, traceIds } = RECORD;
    expect(write).toHaveBeenCalledExactlyOnceWith({
      mode: "replace",
      conversationId: "c",
      messages: [{ body: '{"role":"user","content":"s3cret"}', isToolResult: false }],
      metadata: {},
      expectedVersion: 0,
      create: { incarnation: expect.any(String) },
      source: { createdAt, lastActivity, version, metadataVersion, firstPosition, traceIds },
    });
  });

  it("identifies a missing conversation by its tombstones, or by none if the backend returns none", async () => {
    const readAt = new Date();
    const incarnation = async (tombstones?: { conversation: string | null; user: string | null }) => {
      const read = vi.fn(async () => ({ conversation: null, ...(tombstones && { tombstones }), readAt }));
      const provider = defineMemoryProvider(backend({ read }));
      const given = expectOk(await provider.readConversation("c", { userId: "u", receiptFor: "k" }));
      expect(read).toHaveBeenCalledExactlyOnceWith({
        conversationId: "c",
        messages: { kind: "all" },
        tombstones: { userId: "u" },
        receiptFor: "k",
        asksTime: true,
      });
      expect(given.readAt).toBe(readAt);
      return given.incarnation;
    };
    expect(await incarnation()).toBe("none::");
    expect(await incarnation({ conversation: "a", user: "b" })).toBe("none:a:b");
  });

  it("only asks for the time in reads that return it", async () => {
    const read = vi.fn<MemoryBackend["read"]>(async () => ({ conversation: null, readAt: new Date() }));
    const provider = defineMemoryProvider(backend({ read }));
    expectOk(await provider.getConversation("c"));
    expectOk(await provider.getRecentMessages("c"));
    expectOk(await provider.exportConversation("c"));
    for (const [request] of read.mock.calls) expect(request).not.toHaveProperty("asksTime");
    expectOk(await provider.readConversation("c"));
    expect(read).toHaveBeenLastCalledWith(expect.objectContaining({ asksTime: true }));
  });

  it("doesn't replace a time that the backend doesn't return", async () => {
    const provider = defineMemoryProvider(backend({ read: async () => ({ conversation: null }) }));
    const error = expectError(await provider.readConversation("c"), "MemoryStorageError");
    expect(error).toMatchObject({ provider: "fake", retryable: false });
    expect(error.message).toContain("the backend returned no time: return `readAt`");
  });

  it("doesn't call the backend for invalid input or a limit of 0", async () => {
    const touched = vi.fn();
    const traps = { write: touched, read: touched, find: touched, delete: touched, clearUser: touched };
    const provider = defineMemoryProvider(backend(traps));
    expectError(await provider.storeMessages("", []), "MemoryValidationError");
    expectError(await provider.getConversation(""), "MemoryValidationError");
    expectError(await provider.readConversation(""), "MemoryValidationError");
    expectError(await provider.exportConversation(""), "MemoryValidationError");
    expectError(await provider.importConversation({ ...RECORD, version: 0 }), "MemoryValidationError");
    expectError(await provider.deleteConversation("\0"), "MemoryValidationError");
    expectError(await provider.clearUserConversations(""), "MemoryValidationError");
    expect(expectOk(await provider.findConversations({ limit: 0 }))).toEqual([]);
    expect(expectOk(await provider.getRecentMessages("c", 0))).toEqual([]);
    expect(touched).not.toHaveBeenCalled();
  });

  it("closes the backend once", async () => {
    const close = vi.fn(async () => {});
    const provider = defineMemoryProvider(backend({ close }));
    await Promise.all([provider.close(), provider.close()]);
    expectOk(await provider.close());
    expect(close).toHaveBeenCalledOnce();
  });

  it("returns frozen data that shares nothing with the backend", async () => {
    const held = stored({ metadata: { custom: { list: [1] }, $date: "x" } });
    const provider = defineMemoryProvider(backend({ read: reading(held) }));
    const { messages, metadata } = await readConversation(provider, "c");
    for (const value of [messages, messages[0], metadata["custom"], metadata["custom"].list]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
    metadata.lastActivity.setTime(0);
    metadata.createdAt.setTime(0);
    expect(held).toMatchObject({ createdAt: new Date(1), lastActivity: new Date(2) });
    expect(metadata.updatedAt).toEqual(new Date(2));
  });

  it("ignores stored fields with the names of the store's own", async () => {
    const metadata = { version: 99, totalMessages: 99, incarnation: "forged", createdAt: "", topic: "kept" };
    const provider = defineMemoryProvider(backend({ read: reading(stored({ metadata })) }));
    expect((await readConversation(provider, "c")).metadata).toEqual({
      createdAt: new Date(1),
      updatedAt: new Date(2),
      lastActivity: new Date(2),
      totalMessages: 1,
      version: 1,
      metadataVersion: 0,
      nextPosition: 1,
      incarnation: "i",
      topic: "kept",
    });
  });
});
