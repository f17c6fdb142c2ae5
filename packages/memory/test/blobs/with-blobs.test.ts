import { afterEach, describe, expect, it, vi } from "vitest";
import {
  bytes,
  CREATE,
  countOf,
  dataOf,
  declareMediaRules,
  image,
  messagesOf,
  OWNED,
  written,
} from "../../../../test/media/media-rules.ts";
import {
  type BlobErrorEvent,
  type BlobStore,
  createFailure,
  createInMemoryBlobStore,
  createInMemoryProvider,
  createMemoryConnectionError,
  createMemoryStorageError,
  type RichMessage,
  type VersionedMemoryProvider,
  withBlobs,
  withFallback,
  withRetry,
} from "../../src/index.ts";
import { isMediaResolver } from "../../src/internal.ts";
import {
  expectConflict,
  expectError,
  expectInvalid,
  expectOk,
} from "../../src/testing/fixtures/expectations.ts";

afterEach(() => void vi.useRealTimers());

const stores = () => ({ store: createInMemoryProvider(), blobs: createInMemoryBlobStore() });

function setUp(options: Partial<Parameters<typeof withBlobs>[1]> = {}) {
  const { store, blobs } = stores();
  const events: BlobErrorEvent[] = [];
  const onBlobError = (event: BlobErrorEvent) => void events.push(event);
  const wrap = (inner: VersionedMemoryProvider, to: BlobStore = blobs) =>
    withBlobs(inner, { blobs: to, minBytes: 10, onBlobError, ...options });
  return { store, blobs, events, wrap, provider: wrap(store) };
}

const one = written([image(bytes("one"))]);
const broken = createFailure(createMemoryConnectionError("test", "down", { operation: "test" }));

describe("withBlobs, in memory", () => {
  declareMediaRules(async () => ({ ...stores(), dispose: async () => {} }));
});

describe("withBlobs without large media", () => {
  it("passes messages on and doesn't call the blob store", async () => {
    const { store, blobs } = stores();
    const asked = vi.fn();
    const watched = new Proxy(blobs, {
      get: (...given) => {
        asked();
        return Reflect.get(...given);
      },
    });
    const provider = withBlobs(store, { blobs: watched });
    asked.mockClear();
    const append = vi.spyOn(store, "appendMessages");
    const small = written([image(bytes("small")), { role: "user", content: "x" }]);
    expectOk(await provider.appendMessages("c", small, OWNED, CREATE));
    expect(messagesOf(expectOk(await provider.getConversation("c")))).toEqual(small);
    expect(append.mock.lastCall?.[1]).toBe(small);
    expect(asked).not.toHaveBeenCalled();
  });

  it.each([
    ["a blob field of another framework", { type: "media", mediaType: "a/b", blob: { key: "x".repeat(50) } }],
    ["data beside a field blob", { type: "media", mediaType: "a/b", blob: "x", data: bytes("x") }],
    ["text that isn't base64", { type: "media", mediaType: "a/b", data: "not base64, but long" }],
    ["base64 without padding", { type: "media", mediaType: "a/b", data: "YWFhYWFhYWFhYWFhYQ" }],
    ["parts of other types", { type: "image_url", data: bytes("x") }],
  ])("keeps %s in its message", async (_, part) => {
    const { provider, blobs } = setUp();
    const said = written([{ role: "user", content: [part] }]);
    expectOk(await provider.storeMessages("c", said, OWNED));
    expect(messagesOf(expectOk(await provider.getConversation("c")))).toEqual(said);
    expect(await countOf(blobs)).toBe(0);
  });

  it("keeps the other methods of a provider, and keeps its own through a wrapper", async () => {
    const { store, blobs } = stores();
    const provider = withBlobs(store, { blobs, minBytes: 10 });
    expect(typeof provider.on).toBe("function");
    const retried = withRetry(provider);
    expectOk(await retried.appendMessages("c", one, OWNED, CREATE));
    const { messages } = expectOk(await retried.readConversation("c")).conversation ?? { messages: [] };
    expect(isMediaResolver(retried) && expectOk(await retried.resolveMedia("c", messages))).toEqual(one);
    expect(isMediaResolver(createInMemoryProvider())).toBe(false);
  });

  it("refuses invalid options and a provider that answers from a fallback", () => {
    const { store, blobs } = stores();
    expect(() => withBlobs(store, { blobs, minBytes: 0 })).toThrow(/minBytes: expected/);
    expect(() => Reflect.apply(withBlobs, undefined, [store, {}])).toThrow(/blobs: expected a BlobStore/);
    const either = withRetry(withFallback(store, createInMemoryProvider()));
    expect(() => withBlobs(either, { blobs })).toThrow(/withFallback around withBlobs/);
  });
});

describe("a write of media", () => {
  it("uses its arguments as they were at the call", async () => {
    const { provider } = setUp();
    const data = bytes("before");
    const message = image(data);
    const metadata = { ...OWNED, topic: "tea" };
    const writing = provider.appendMessages("c", written([message]), metadata, CREATE);
    data.fill(0);
    metadata.topic = "coffee";
    expectOk(await writing);
    const conversation = expectOk(await provider.getConversation("c"));
    expect(conversation?.metadata?.["topic"]).toBe("tea");
    expect(expectOk(await provider.resolveMedia("c", messagesOf(conversation)))).toEqual([
      image(bytes("before")),
    ]);
  });

  it("is done once for a key, and removes its media if it was refused or skipped", async () => {
    const { provider, blobs } = setUp();
    const keyed = { ...CREATE, idempotencyKey: "k", messageIds: ["m"] };
    for (let attempt = 0; attempt < 2; attempt++) {
      expectOk(await provider.appendMessages("c", one, OWNED, keyed));
    }
    expectOk(await provider.appendMessages("c", one, {}, { messageIds: ["m"] }));
    const two = written([image(bytes("two"))]);
    expectConflict(await provider.appendMessages("c", two, {}, { expectedVersion: 9 }), "version");
    expectConflict(await provider.appendMessages("c", two, {}, { messageIds: ["m"] }), "message-id");
    expectError(await provider.appendMessages("none", two), "MemoryNotFoundError");
    expectOk(await provider.appendMessages("c", [], {}, { dropLast: 1 }));
    expectOk(await provider.appendMessages("c", one, OWNED, keyed));
    expect(expectOk(await provider.getRecentMessages("c"))).toEqual([]);
    expect([await countOf(blobs), await countOf(blobs, "none")]).toEqual([0, 0]);
  });

  it("is refused if media are too large or another message of the batch is invalid", async () => {
    const { provider, blobs } = setUp({ maxBytes: 30 });
    const large = written([image(new Uint8Array(31))]);
    await expectInvalid(() => provider.storeMessages("c", large), "messages[0].content[1].data");
    const wrong = [...one, { role: "user", content: 5 }];
    await expectInvalid(() => Reflect.apply(provider.storeMessages, undefined, ["c", wrong]));
    await expectInvalid(() => provider.appendMessages("", one), "conversationId");
    expect(expectOk(await provider.getConversation("c"))).toBeNull();
    expect(await countOf(blobs)).toBe(0);
  });

  it("stores no message if its media can't be stored", async () => {
    const { store, blobs, wrap } = setUp();
    const provider = wrap(store, { ...blobs, put: async () => broken });
    const error = expectError(await provider.storeMessages("c", one), "MemoryConnectionError");
    expect(error).toMatchObject({ operation: "storeMessages", retryable: true });
    expect(expectOk(await store.getConversation("c"))).toBeNull();
  });

  it("keeps the media of a write with an unknown outcome until the hold expires", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { store, blobs, wrap } = setUp();
    const lost: VersionedMemoryProvider = {
      ...store,
      appendMessages: async (...given) => {
        await store.appendMessages(...given);
        return broken;
      },
    };
    const never: VersionedMemoryProvider = { ...store, appendMessages: async () => broken };
    expectError(await wrap(lost).appendMessages("c", one, OWNED, CREATE), "MemoryConnectionError");
    expectError(await wrap(never).appendMessages("d", one, OWNED, CREATE), "MemoryConnectionError");
    const provider = wrap(store);
    expect(expectOk(await provider.sweepBlobs({ idleSeconds: 0 })).removed).toBe(0);
    vi.setSystemTime(Date.now() + 901_000);
    expect(expectOk(await provider.sweepBlobs({ idleSeconds: 0 }))).toEqual({ conversations: 2, removed: 1 });
    expect(
      expectOk(await provider.resolveMedia("c", messagesOf(expectOk(await store.getConversation("c"))))),
    ).toEqual(one);
    expect(await countOf(blobs, "d")).toBe(0);
  });

  it("fails if storing its media takes half of `holdSeconds`", async () => {
    const { store, blobs, wrap } = setUp({ holdSeconds: 2 });
    const slow: BlobStore = {
      ...blobs,
      put: async (...given) => {
        await new Promise((resolve) => setTimeout(resolve, 1_050));
        return blobs.put(...given);
      },
    };
    const error = expectError(await wrap(store, slow).storeMessages("c", one), "MemoryStorageError");
    expect(error.retryable).toBe(true);
    expect(await countOf(blobs)).toBe(0);
  });

  it("sometimes sweeps what others left behind", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { provider, blobs } = setUp();
    expectOk(await provider.appendMessages("c", one, OWNED, { ...CREATE, ttlSeconds: 1 }));
    vi.setSystemTime(Date.now() + 3_700_000);
    for (let at = 0; at < 8; at++) expectOk(await provider.appendMessages(`d${at}`, one, OWNED, CREATE));
    expect(await countOf(blobs)).toBe(0);
    expect(await countOf(blobs, "d0")).toBe(1);
  });
});

describe("a written-back reference", () => {
  const referenceOnly = async (provider: VersionedMemoryProvider) =>
    messagesOf(expectOk(await provider.getConversation("c")));

  it("is kept if a stored message of the conversation names it, even if only that message stays", async () => {
    const { provider, blobs } = setUp();
    expectOk(await provider.storeMessages("c", one, OWNED));
    const read = written(await referenceOnly(provider));
    const edited = written([{ role: "user", content: "Look" }, ...read]);
    expectOk(await provider.storeMessages("c", edited, OWNED));
    expectOk(await provider.appendMessages("c", read, {}, { dropLast: 1 }));
    expect(await countOf(blobs)).toBe(1);
    expect(expectOk(await provider.resolveMedia("c", await referenceOnly(provider)))[1]).toEqual(one[0]);
  });

  it("gives no access to another conversation, to erased bytes or to the rest of a crash", async () => {
    const { provider, store, blobs } = setUp();
    expectOk(await provider.storeMessages("c", one, OWNED));
    const read = written(await referenceOnly(provider));
    await expectInvalid(
      () => provider.appendMessages("d", read, { userId: "v" }, CREATE),
      "messages[0].content[1].blob",
    );
    expectOk(await store.deleteConversation("c")); // The state after a crash before the second step.
    expect(await countOf(blobs)).toBe(1);
    await expectInvalid(() => provider.appendMessages("c", read, { userId: "v" }, CREATE));
    expect(await countOf(blobs)).toBe(0);
    await expectInvalid(() => provider.storeMessages("c", read));
    const forged = [{ type: "media", mediaType: "a/b", blob: { sha256: "0".repeat(64), size: 1 } }];
    await expectInvalid(() => provider.storeMessages("c", written([{ role: "user", content: forged }])));
  });

  it("is accepted if the write was already made, to be replayed", async () => {
    const { provider } = setUp();
    expectOk(await provider.storeMessages("c", one, OWNED));
    const read = written(await referenceOnly(provider));
    const again = () => provider.appendMessages("c", read, {}, { idempotencyKey: "k" });
    expectOk(await again());
    expectOk(await provider.storeMessages("c", [], OWNED));
    expectOk(await again());
    expect(await referenceOnly(provider)).toEqual([]);
  });
});

describe("an erasure", () => {
  it("leaves data for the next sweep if it stops between its steps", async () => {
    const { provider, store, blobs } = setUp();
    for (const id of ["c", "d"]) expectOk(await provider.storeMessages(id, one, OWNED));
    expectOk(await store.deleteConversation("c"));
    expectOk(await store.appendMessages("d", [], {}, { dropLast: 1 }));
    expect(expectOk(await provider.sweepBlobs({ idleSeconds: 0 }))).toEqual({ conversations: 2, removed: 2 });
    expect(expectOk(await blobs.due(10, 0))).toEqual([]);
  });

  it("fails if the blobs stay, and succeeds when repeated", async () => {
    const { store, blobs, wrap } = setUp();
    const provider = wrap(store);
    expectOk(await provider.storeMessages("c", one, OWNED));
    const half = wrap(store, { ...blobs, remove: async () => broken });
    for (const call of [() => half.deleteConversation("c"), () => half.clearUserConversations("u")]) {
      await store.storeMessages("c", written([{ role: "user", content: "x" }]), OWNED);
      expect(expectError(await call(), "MemoryConnectionError").retryable).toBe(true);
    }
    expect(expectOk(await provider.deleteConversation("c"))).toBe(false);
    expect(await countOf(blobs)).toBe(0);
  });

  it.each(["deleteConversation", "clearUserConversations"] as const)(
    "takes the media of all descendants along: %s",
    async (erase) => {
      const { provider, store, blobs } = setUp();
      expectOk(await provider.storeMessages("p", one, OWNED));
      let parent = "p";
      for (const id of ["child", "grandchild"]) {
        const { incarnation } = expectOk(await store.readConversation(parent));
        const childOf = { conversationId: parent, incarnation };
        expectOk(await provider.storeMessages(id, one, OWNED, { childOf }));
        parent = id;
      }
      const counts = () => Promise.all(["p", "child", "grandchild"].map((id) => countOf(blobs, id)));
      expect(await counts()).toEqual([1, 1, 1]);
      if (erase === "deleteConversation") expectOk(await provider.deleteConversation("p"));
      else expectOk(await provider.clearUserConversations("u"));
      expect(await counts()).toEqual([0, 0, 0]);
    },
  );

  it("succeeds for messages alone if the blobs stay, and reports it", async () => {
    const { store, blobs, events, wrap } = setUp();
    expectOk(await wrap(store).storeMessages("c", one, OWNED));
    const half = wrap(store, { ...blobs, remove: async () => broken });
    expectOk(await half.storeMessages("c", [], OWNED));
    expect(events).toMatchObject([{ step: "erase", conversationId: "c", error: broken.error }]);
  });

  it("removes recently read bytes from this process's cache", async () => {
    const { provider } = setUp();
    expectOk(await provider.storeMessages("c", one, OWNED));
    const read = messagesOf(expectOk(await provider.getConversation("c")));
    expectOk(await provider.resolveMedia("c", read));
    expectOk(await provider.deleteConversation("c"));
    expectError(await provider.resolveMedia("c", read), "MemoryStorageError");
  });
});

describe("wrappers around withBlobs", () => {
  it("retry transient failures, and store once", async () => {
    const { store, blobs, wrap } = setUp();
    let failures = 2;
    const put: BlobStore["put"] = async (...given) => (failures-- > 0 ? broken : blobs.put(...given));
    const provider = withRetry(wrap(store, { ...blobs, put }), { baseDelayMs: 1 });
    expectOk(await provider.appendMessages("c", one, OWNED, CREATE));
    const stored = messagesOf(expectOk(await provider.getConversation("c")));
    expect(expectOk(await provider.resolveMedia("c", stored))).toEqual(one);
    expect(await countOf(blobs)).toBe(1);
  });
});

describe("reading media", () => {
  const stored = async (provider: ReturnType<typeof setUp>["provider"]) => {
    expectOk(await provider.storeMessages("c", one, OWNED));
    return messagesOf(expectOk(await provider.getConversation("c")));
  };

  it("asks the store once for recently read bytes, and gives each reader a copy", async () => {
    const { store, blobs, wrap } = setUp();
    const get = vi.fn(blobs.get);
    const provider = wrap(store, { ...blobs, get });
    const read = await stored(provider);
    const [message] = expectOk(await provider.resolveMedia("c", [...read, ...read]));
    dataOf(message)?.fill(0);
    expect(expectOk(await provider.resolveMedia("c", read))).toEqual(one);
    expect(get).toHaveBeenCalledTimes(1);
    expect(expectError(await provider.resolveMedia("d", read), "MemoryStorageError").operation).toBe(
      "resolveMedia",
    );
  });

  it("returns messages without references unchanged", async () => {
    const { provider } = setUp();
    const plain: readonly RichMessage[] = [{ role: "user", content: "x" }];
    expect(expectOk(await provider.resolveMedia("c", plain))).toBe(plain);
    const read = await stored(provider);
    const resolved = expectOk(await provider.resolveMedia("c", [...plain, ...read]));
    expect(resolved[0]).toBe(plain[0]);
  });

  it("reports missing media or leaves the reference, as requested", async () => {
    const { provider, blobs } = setUp({ cacheBytes: 0 });
    const read = await stored(provider);
    expectOk(await blobs.remove("c", expectOk(await blobs.list("c"))));
    const error = expectError(await provider.resolveMedia("c", read), "MemoryStorageError");
    expect(error.message).toContain("the bytes of a media part are not stored");
    expect(expectOk(await provider.resolveMedia("c", read, { missing: "leave" }))).toEqual(read);
    expectError(await provider.exportConversation("c"), "MemoryStorageError");
  });

  it("refuses bytes that differ from the stored ones", async () => {
    const { store, blobs, wrap } = setUp({ cacheBytes: 0 });
    const error = createFailure(createMemoryStorageError("getBlob", "another hash"));
    const provider = wrap(store, { ...blobs, get: async () => error });
    expectError(await provider.resolveMedia("c", await stored(provider)), "MemoryStorageError");
  });

  it("exports and imports completely, even into a store of another kind", async () => {
    const [from, to] = [setUp(), setUp()];
    await stored(from.provider);
    const record = expectOk(await from.provider.exportConversation("c"));
    if (record === null) throw new Error("expected a conversation");
    expect(record.messages).toEqual(one);
    expectOk(await to.provider.importConversation(record));
    expect(await countOf(to.blobs)).toBe(1);
    expect(expectOk(await to.provider.exportConversation("c"))).toEqual(record);
    const plain = createInMemoryProvider();
    expectOk(await plain.importConversation(record));
    expect(messagesOf(expectOk(await plain.getConversation("c")))).toEqual(one);
    const raw = expectOk(await from.store.exportConversation("c"));
    if (raw !== null) await expectInvalid(() => setUp().provider.importConversation(raw));
  });
});
