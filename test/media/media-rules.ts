import { expect, it } from "vitest";
import {
  type BlobStore,
  type ConversationMemory,
  type Message,
  parseMessages,
  type RichMessage,
  type VersionedMemoryProvider,
  withBlobs,
} from "../../packages/memory/src/index.ts";
import { expectOk } from "../../packages/memory/src/testing/fixtures/expectations.ts";

/** A store and a blob store of one test, on the same server. */
export interface MediaStores {
  readonly store: VersionedMemoryProvider;
  readonly blobs: BlobStore;
  readonly dispose: () => Promise<void>;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text.padEnd(20, "."));

export function written(messages: readonly RichMessage[]): readonly Message[] {
  return expectOk(parseMessages(messages));
}

export const image = (data: Uint8Array | string): RichMessage => ({
  role: "user",
  content: [
    { type: "text", text: "What is this?" },
    { type: "media", mediaType: "image/png", data, filename: "a.png" },
  ],
});

/** Returns the data of the second part, where {@link image} has its media. */
export function dataOf(message: RichMessage | undefined): Uint8Array | undefined {
  const part = Array.isArray(message?.content) ? message.content[1] : undefined;
  return part?.data instanceof Uint8Array ? part.data : undefined;
}

export const OWNED = { userId: "u" };
export const CREATE = { createIfMissing: true } as const;

export const messagesOf = (conversation: ConversationMemory | null): readonly RichMessage[] =>
  conversation?.messages ?? [];

/** The number of different blobs of a conversation. */
export const countOf = async (blobs: BlobStore, conversationId = "c"): Promise<number> =>
  new Set(expectOk(await blobs.list(conversationId)).map(({ sha256 }) => sha256)).size;

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** Declares the tests of media for every store in the current `describe`. */
export function declareMediaRules(createStores: () => Promise<MediaStores>): void {
  type Use = (stores: MediaStores & { readonly provider: ReturnType<typeof wrap> }) => Promise<void>;
  const wrap = (store: VersionedMemoryProvider, blobs: BlobStore) =>
    withBlobs(store, { blobs, minBytes: 10 });
  const rule = (title: string, use: Use) =>
    it(title, async () => {
      const stores = await createStores();
      try {
        await use({ ...stores, provider: wrap(stores.store, stores.blobs) });
      } finally {
        await stores.dispose();
      }
    });

  rule("stores a reference, and gives the media back on demand", async ({ provider, blobs }) => {
    const base64 = Buffer.from(bytes("text")).toString("base64");
    const said = [image(bytes("one")), image(base64), { role: "user", content: "And?" } as const];
    expectOk(await provider.appendMessages("c", written(said), OWNED, CREATE));
    const stored = messagesOf(expectOk(await provider.getConversation("c")));
    expect(JSON.stringify(stored)).not.toContain(base64);
    expect(stored[0]?.content).toMatchObject([
      { type: "text" },
      { type: "media", mediaType: "image/png", filename: "a.png", blob: { size: 20 } },
    ]);
    expect(await countOf(blobs)).toBe(2);
    expect(expectOk(await provider.resolveMedia("c", stored))).toEqual(said);
  });

  rule("erases media with the last message that names it, however that goes", async ({ provider, blobs }) => {
    const [one, two, three] = [image(bytes("one")), image(bytes("two")), image(bytes("three"))];
    const text = { role: "user", content: "x" } as const;
    const begin = async (...messages: readonly RichMessage[]) =>
      expectOk(await provider.storeMessages("c", written(messages), OWNED));

    await begin(one, two, one, text);
    expect(await countOf(blobs), "the same bytes once").toBe(2);
    expectOk(await provider.appendMessages("c", [], {}, { dropLast: 2 }));
    expect(await countOf(blobs), "dropLast leaves what another message names").toBe(2);
    expectOk(await provider.appendMessages("c", written([text]), {}, { dropLast: 1 }));
    expect(await countOf(blobs), "dropLast").toBe(1);

    await begin(one, two, three);
    expectOk(await provider.appendMessages("c", written([text]), {}, { maxMessages: 2 }));
    expect(await countOf(blobs), "maxMessages").toBe(1);

    await begin(two);
    expect(await countOf(blobs), "a replacement").toBe(1);

    expectOk(await provider.deleteConversation("c"));
    expect(await countOf(blobs), "a deletion").toBe(0);

    await begin(one, two);
    expectOk(await provider.appendMessages("d", written([three]), OWNED, CREATE));
    expectOk(await provider.appendMessages("other", written([three]), { userId: "other" }, CREATE));
    expect(expectOk(await provider.clearUserConversations("u"))).toBe(2);
    expect([await countOf(blobs), await countOf(blobs, "d")], "of a user").toEqual([0, 0]);
    expect(await countOf(blobs, "other")).toBe(1);
  });

  rule("sweeps what an expiry leaves", async ({ provider, blobs }) => {
    const options = { ...CREATE, ttlSeconds: 1 };
    expectOk(await provider.appendMessages("c", written([image(bytes("one"))]), OWNED, options));
    expectOk(await provider.appendMessages("d", written([image(bytes("one"))]), OWNED, CREATE));
    await expect
      .poll(async () => expectOk(await provider.getConversation("c")), { timeout: 5_000 })
      .toBeNull();
    expect(expectOk(await provider.sweepBlobs({ idleSeconds: 0 }))).toEqual({ conversations: 2, removed: 1 });
    expect([await countOf(blobs), await countOf(blobs, "d")]).toEqual([0, 1]);
  });

  rule("takes media of 5 MB", async ({ provider }) => {
    const data = Buffer.alloc(5_000_000, "0123456789abcdef-");
    const said = [image(data)];
    expectOk(await provider.appendMessages("c", written(said), OWNED, CREATE));
    const messages = messagesOf(expectOk(await provider.getConversation("c")));
    const resolved = expectOk(await provider.resolveMedia("c", messages));
    // An assertion on each byte would take a minute.
    expect(data.equals(dataOf(resolved[0]) ?? new Uint8Array())).toBe(true);
  });

  rule("loses nothing to erasures beside writers of the same media", async ({ provider, store, blobs }) => {
    const shared = image(bytes("shared"));
    const other = wrap(store, blobs);
    const write = (one: typeof provider) => one.storeMessages("c", written([shared]), OWNED);
    for (let round = 0; round < 15; round++) {
      const erase = round % 3 === 0 ? other.deleteConversation("c") : other.storeMessages("c", [], OWNED);
      await Promise.all([erase, write(provider), round % 2 === 0 && write(other)]);
      const left = messagesOf(expectOk(await provider.getConversation("c")));
      expect(expectOk(await provider.resolveMedia("c", left))).toEqual(left.map(() => shared));
      expect(await countOf(blobs)).toBe(left.length);
    }
  });

  rule("leaves media alone whose message is on its way", async ({ provider, store, blobs }) => {
    const [reached, go] = [gate(), gate()];
    const slow: VersionedMemoryProvider = {
      ...store,
      appendMessages: async (...given) => {
        reached.open();
        await go.passed;
        return store.appendMessages(...given);
      },
    };
    const said = [image(bytes("one"))];
    const writing = wrap(slow, blobs).appendMessages("c", written(said), OWNED, CREATE);
    await reached.passed;
    expectOk(await provider.sweepBlobs({ idleSeconds: 0 }));
    expectOk(await provider.deleteConversation("c"));
    go.open();
    expectOk(await writing);
    const stored = messagesOf(expectOk(await provider.getConversation("c")));
    expect(expectOk(await provider.resolveMedia("c", stored))).toEqual(said);
  });

  rule("leaves media alone that was found unnamed, and is written meanwhile", async (stores) => {
    const { provider, store, blobs } = stores;
    const data = bytes("one");
    const { sha256 } = expectOk(await blobs.put("c", data, { id: "crashed", seconds: 60 }));
    expectOk(await blobs.release("c", [sha256], "crashed"));
    const [reached, go] = [gate(), gate()];
    const slow: BlobStore = {
      ...blobs,
      remove: async (...given) => {
        reached.open();
        await go.passed;
        return blobs.remove(...given);
      },
    };
    const sweeping = wrap(store, slow).sweepBlobs({ idleSeconds: 0 });
    await reached.passed;
    expectOk(await provider.appendMessages("c", written([image(data)]), OWNED, CREATE));
    go.open();
    expectOk(await sweeping);
    const stored = messagesOf(expectOk(await provider.getConversation("c")));
    expect(expectOk(await provider.resolveMedia("c", stored))).toEqual([image(data)]);
  });
}
