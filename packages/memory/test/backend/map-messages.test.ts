import { describe, expect, it, vi } from "vitest";
import {
  createInMemoryBackend,
  defineMemoryProvider,
  extendBackend,
  isPortableText,
  type MemoryBackend,
  mapMessages,
} from "../../src/adapter.ts";
import type { Message } from "../../src/index.ts";
import { contents, expectError, expectOk } from "../../src/testing/fixtures/expectations.ts";
import { answering, calling, users } from "../../src/testing/fixtures/messages.ts";

// By UTF-16 units, to split surrogate pairs.
const reverse = (text: string): string => text.split("").reverse().join("");

const reversed = (backend: MemoryBackend): MemoryBackend =>
  mapMessages(backend, { encode: reverse, decode: async (text) => reverse(text) });

const UNOWNED = { createIfMissing: "unowned" } as const;

/** Sets up a wrapped backend, and keeps what a reader without the wrapper would get. */
function setUp(wrap: (backend: MemoryBackend) => MemoryBackend = reversed) {
  const inner = createInMemoryBackend();
  return { inner, raw: defineMemoryProvider(inner), provider: defineMemoryProvider(wrap(inner)) };
}

describe("mapMessages", () => {
  const hostile: readonly Message[] = [
    ...users("\0\ud800 😀\n\r\u2028", "", " leading"),
    calling("a"),
    answering("a"),
    { role: "user", content: "x", at: new Date(5) } as Message,
  ];

  it("stores another text for every message, and returns the original from every read", async () => {
    const { provider, raw, inner } = setUp();
    const write = vi.spyOn(inner, "write");
    expectOk(await provider.appendMessages("c", hostile, { userId: "u" }, UNOWNED));
    for (const { body } of write.mock.lastCall?.[0].messages ?? []) {
      expect(body).toMatch(/^\{[^\0\n\r]*\}$/);
      expect(isPortableText(body)).toBe(true);
    }
    expect(expectOk(await provider.getConversation("c"))?.messages).toEqual(hostile);
    expect(expectOk(await provider.getRecentMessages("c", 2))).toEqual(hostile.slice(-2));
    expect(expectOk(await provider.readConversation("c")).conversation?.messages).toEqual(hostile);
    expect(expectOk(await provider.findConversations({ userId: "u" }))[0]?.messages).toEqual(hostile);
    expect(expectOk(await provider.exportConversation("c"))?.messages).toEqual(hostile);
    const stored = expectOk(await raw.getConversation("c"))?.messages ?? [];
    expect(stored.map(({ role }) => role)).toEqual(["user", "user", "user", "user", "tool", "user"]);
    expect(contents(stored)[2]).toBe(reverse(JSON.stringify(hostile[2])));
  });

  it("imports its own export, mapped", async () => {
    const [from, to] = [setUp(), setUp()];
    const options = { ...UNOWNED, messageIds: hostile.map((_, index) => `${index}`) };
    expectOk(await from.provider.appendMessages("c", hostile, {}, options));
    const record = expectOk(await from.provider.exportConversation("c"));
    if (record === null) throw new Error("expected a conversation");
    expectOk(await to.provider.importConversation(record));
    expect(expectOk(await to.provider.exportConversation("c"))).toEqual(record);
    expect(expectOk(await to.raw.getConversation("c"))?.messages).not.toEqual(hostile);
  });

  it("recognises retries and repeated messages even if each text differs", async () => {
    let nonce = 0;
    const salted = (backend: MemoryBackend) =>
      mapMessages(backend, {
        encode: async (body) => `${nonce++}:${body}`,
        decode: (text) => text.slice(text.indexOf(":") + 1),
      });
    const { provider } = setUp(salted);
    const keyed = { ...UNOWNED, idempotencyKey: "k", messageIds: ["a"] };
    expectOk(await provider.appendMessages("c", users("1"), {}, keyed));
    expectOk(await provider.appendMessages("c", users("1"), {}, keyed));
    expectOk(await provider.appendMessages("c", users("1", "2"), {}, { messageIds: ["a", null] }));
    const other = await provider.appendMessages("c", users("other"), {}, { messageIds: ["a"] });
    expect(expectError(other, "MemoryConflictError").reason).toBe("message-id");
    expect(contents(expectOk(await provider.getRecentMessages("c")))).toEqual(["1", "2"]);
  });

  it("keeps the order of messages in any order of mapping", async () => {
    const slow = (backend: MemoryBackend) => {
      const later = async (text: string) => {
        await new Promise((resolve) => setTimeout(resolve, text.length % 3));
        return text;
      };
      return mapMessages(backend, { encode: later, decode: later });
    };
    const { provider } = setUp(slow);
    const texts = Array.from({ length: 30 }, (_, index) => "x".repeat(30 - index));
    expectOk(await provider.appendMessages("c", users(...texts), {}, UNOWNED));
    expect(contents(expectOk(await provider.getRecentMessages("c")))).toEqual(texts);
  });

  it("reads from a backend that keeps objects", async () => {
    const asObjects = (backend: MemoryBackend) =>
      reversed(
        extendBackend(backend, {
          read: async (request) => {
            const read = await backend.read(request);
            if (read.conversation === null) return read;
            const messages = read.conversation.messages.map((body) => JSON.parse(body as string) as Message);
            return { ...read, conversation: { ...read.conversation, messages } };
          },
        }),
      );
    const { provider } = setUp(asObjects);
    expectOk(await provider.appendMessages("c", users("1"), {}, UNOWNED));
    expect(contents(expectOk(await provider.getRecentMessages("c")))).toEqual(["1"]);
  });

  it("writes or reads nothing if a mapping throws, and its error contains no text", async () => {
    const failing = (name: "encode" | "decode") => (backend: MemoryBackend) =>
      mapMessages(backend, {
        encode: (body) => body,
        decode: (text) => text,
        [name]: (text: string) => {
          throw new RangeError(text);
        },
      });
    const writing = setUp(failing("encode"));
    const refused = await writing.provider.appendMessages("c", users("s3cret"), {}, UNOWNED);
    expect(expectError(refused, "MemoryStorageError").message).toContain("RangeError");
    expect(JSON.stringify(refused)).not.toContain("s3cret");
    expect(expectOk(await writing.raw.getConversation("c"))).toBeNull();
    const reading = setUp(failing("decode"));
    expectOk(await reading.provider.appendMessages("c", users("s3cret"), {}, UNOWNED));
    const unread = expectError(await reading.provider.getConversation("c"), "MemoryStorageError");
    expect(JSON.stringify(unread)).not.toContain("s3cret");
  });

  it("only accepts text, and refuses messages of another form", async () => {
    const wrong = (backend: MemoryBackend) =>
      mapMessages(backend, { encode: () => 5 as never, decode: () => "no message" });
    const { provider, raw } = setUp(wrong);
    expectError(await provider.appendMessages("c", users("1"), {}, UNOWNED), "MemoryStorageError");
    expectOk(await raw.storeMessages("c", users("1")));
    expect(expectError(await provider.getConversation("c"), "MemoryStorageError").message).toContain(
      "stored message 0 is not a message",
    );
    const parts = { role: "user", content: [{ type: "text", text: "s3cret" }] } as unknown as Message;
    expectOk(await raw.storeMessages("c", [...users("1"), parts]));
    expect(expectError(await provider.getConversation("c"), "MemoryStorageError").message).toContain(
      "stored message 1 is not a message",
    );
  });

  it("passes everything else on to a class instance", async () => {
    class Backend {
      readonly #inner = createInMemoryBackend();
      readonly name = "class";
      write = this.#inner.write;
      read = this.#inner.read;
      find = this.#inner.find;
      clearUser = this.#inner.clearUser;
      stats = this.#inner.stats;
      close = this.#inner.close;
      toMemoryError = this.#inner.toMemoryError;
      delete(conversationId: string) {
        return this.#inner.delete(conversationId);
      }
      async ping() {
        return this.#inner.ping();
      }
    }
    const wrapped = mapMessages(new Backend(), { encode: reverse, decode: reverse });
    expect(wrapped.name).toBe("class");
    await wrapped.ping();
    const provider = defineMemoryProvider(wrapped);
    expect(expectOk(await provider.deleteConversation("c"))).toBe(false);
  });
});
