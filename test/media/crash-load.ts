import {
  type BlobStore,
  type Message,
  parseMessages,
  type VersionedMemoryProvider,
  withBlobs,
} from "../../packages/memory/src/index.ts";

export const CRASH_OPTIONS = { minBytes: 10, holdSeconds: 2, cacheBytes: 0 } as const;

export const CONVERSATIONS = ["a", "b", "c"] as const;

function anyImage(): readonly Message[] {
  const data = Buffer.alloc(50_000, `image ${Math.floor(Math.random() * 6)}`);
  const part = { type: "media", mediaType: "image/png", data };
  const parsed = parseMessages([{ role: "user", content: [part] }]);
  return parsed.success ? parsed.data : [];
}

/** Writes and erases media in every way until this process is killed. Tells its parent when it has started. */
export async function loadUntilKilled(store: VersionedMemoryProvider, blobs: BlobStore): Promise<void> {
  const provider = withBlobs(store, { blobs, ...CRASH_OPTIONS });
  const user = { userId: "u" };
  const work = async (id: string): Promise<void> => {
    for (;;) {
      const dice = Math.random();
      const append = (options = {}) =>
        provider.appendMessages(id, anyImage(), user, { createIfMissing: true, ...options });
      if (dice < 0.5) await append();
      else if (dice < 0.7) await append({ maxMessages: 3 });
      else if (dice < 0.85) await provider.appendMessages(id, [], {}, { dropLast: 1 });
      else if (dice < 0.95) await provider.storeMessages(id, anyImage(), user);
      else await provider.deleteConversation(id);
    }
  };
  process.send?.("under way");
  await Promise.all([...CONVERSATIONS, ...CONVERSATIONS].map(work));
}
