import type { BlobBackend, BlobHold, BlobStore } from "./blob-store.ts";
import { defineBlobStore } from "./define-blob-store.ts";

interface HeldBlob {
  readonly data: Uint8Array;
  token: string;
  /** The time at which each hold ends, in ms since 1970, by the hold's id. */
  readonly holds: Map<string, number>;
}

interface ConversationBlobs {
  readonly blobs: Map<string, HeldBlob>;
  /**
   * When the idle time of the conversation began, in ms since 1970: at a `put`, or when `due` returned the
   * conversation.
   */
  seenAt: number;
}

function hold(blob: HeldBlob, { id, seconds }: BlobHold): void {
  const now = Date.now();
  for (const [other, until] of blob.holds) if (until <= now) blob.holds.delete(other);
  blob.holds.set(id, now + seconds * 1_000);
  blob.token = id;
}

const isHeld = ({ holds }: HeldBlob): boolean => [...holds.values()].some((until) => until > Date.now());

function createBackend(): BlobBackend {
  const conversations = new Map<string, ConversationBlobs>();
  const blobOf = (conversationId: string, sha256: string) =>
    conversations.get(conversationId)?.blobs.get(sha256);

  return {
    name: "memory",
    put: async ({ conversationId, sha256, data }, given) => {
      const conversation = conversations.get(conversationId) ?? { blobs: new Map(), seenAt: 0 };
      conversations.set(conversationId, conversation);
      const holds = conversation.blobs.get(sha256)?.holds ?? new Map<string, number>();
      const blob = { data: new Uint8Array(data), token: given.id, holds };
      hold(blob, given);
      conversation.blobs.set(sha256, blob);
      conversation.seenAt = Date.now();
    },
    keep: async (conversationId, hashes, given) =>
      hashes.filter((sha256) => {
        const blob = blobOf(conversationId, sha256);
        if (blob !== undefined) hold(blob, given);
        return blob !== undefined;
      }),
    release: async (conversationId, hashes, holdId) => {
      for (const sha256 of hashes) blobOf(conversationId, sha256)?.holds.delete(holdId);
    },
    get: async (conversationId, sha256) => {
      const blob = blobOf(conversationId, sha256);
      return blob === undefined ? null : new Uint8Array(blob.data);
    },
    list: async (conversationId) =>
      [...(conversations.get(conversationId)?.blobs ?? [])].map(([sha256, blob]) => ({
        sha256,
        size: blob.data.byteLength,
        token: blob.token,
        held: isHeld(blob),
      })),
    remove: async (conversationId, blobs) => {
      const conversation = conversations.get(conversationId);
      const gone = blobs.filter(
        ({ sha256, token }) =>
          conversation?.blobs.get(sha256)?.token === token && conversation.blobs.delete(sha256),
      );
      if (conversation?.blobs.size === 0) conversations.delete(conversationId);
      return gone.length;
    },
    due: async (limit, idleSeconds) => {
      const now = Date.now();
      const idle = [...conversations]
        .filter(([, { seenAt }]) => seenAt <= now - idleSeconds * 1_000)
        .sort(([, a], [, b]) => a.seenAt - b.seenAt)
        .slice(0, limit);
      for (const [, conversation] of idle) conversation.seenAt = now;
      return idle.map(([conversationId]) => conversationId);
    },
    close: async () => conversations.clear(),
  };
}

/**
 * Creates a blob store in the memory of this process. Use it with an in-memory provider, for development and tests. A
 * restart loses all blobs.
 *
 * @example
 * ```ts
 * import { createInMemoryBlobStore, createInMemoryProvider, withBlobs } from "@jaf/memory";
 *
 * const provider = withBlobs(createInMemoryProvider(), { blobs: createInMemoryBlobStore() });
 * console.log(await provider.healthCheck());
 * ```
 */
export const createInMemoryBlobStore = (): BlobStore => defineBlobStore(createBackend());
