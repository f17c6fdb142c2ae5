import { createSuccess, type Result } from "../contract/errors.ts";
import type { VersionedMemoryProvider } from "../contract/versioned-provider.ts";
import { type BlobEntry, type BlobStore, failedIn } from "./blob-store.ts";
import { referencedHashes } from "./media-parts.ts";
import type { BlobCache } from "./media-resolver.ts";

export interface MediaStores {
  readonly provider: VersionedMemoryProvider;
  readonly blobs: BlobStore;
  readonly cache: BlobCache;
}

/** Returns the blobs without a hold. A hold on one stored copy of a blob counts for all its copies. */
function freeOf(listed: readonly BlobEntry[]): readonly BlobEntry[] {
  const held = new Set(listed.filter((entry) => entry.held).map(({ sha256 }) => sha256));
  return listed.filter(({ sha256 }) => !held.has(sha256));
}

/** Removes those blobs of a conversation to which no stored message refers. Returns the number of removed blobs. */
export async function collectBlobs(
  { provider, blobs, cache }: MediaStores,
  conversationId: string,
): Promise<Result<number>> {
  // The order is safe while other processes write: list the blobs, read the conversation, then remove by token. Before
  // a writer stores a message, it calls `put` or `keep`, which changes the tokens of blobs that were already listed.
  // Blobs with a hold are ignored: the writer that holds a blob calls this function after its write.
  const listed = await blobs.list(conversationId);
  if (!listed.success) return listed;
  const free = freeOf(listed.data);
  if (free.length === 0) return createSuccess(0);
  const read = await provider.readConversation(conversationId, { messages: "all" });
  if (!read.success) return read;
  const named = referencedHashes(read.data.conversation?.messages ?? []);
  const garbage = free.filter(({ sha256 }) => !named.has(sha256));
  for (const { sha256 } of garbage) cache.delete(conversationId, sha256);
  return garbage.length === 0 ? createSuccess(0) : blobs.remove(conversationId, garbage);
}

/** Options of `sweepBlobs`. */
export interface SweepOptions {
  /** The maximum number of conversations to check. Default 100. */
  readonly limit?: number;
  /**
   * How long, in seconds, a conversation must be idle: no blob of it was written, and it wasn't swept. Default 3,600.
   */
  readonly idleSeconds?: number;
}

/** The result of `sweepBlobs`. */
export interface SweepReport {
  /**
   * The number of conversations that were checked. If it is less than `limit`, no other conversation has to be swept
   * now.
   */
  readonly conversations: number;
  /** The number of blobs that were removed. */
  readonly removed: number;
}

/**
 * Removes blobs to which no stored message refers, in at most `limit` conversations. Stops at the first failure and
 * returns it.
 */
export async function sweep(
  stores: MediaStores,
  { limit = 100, idleSeconds = 3_600 }: SweepOptions,
): Promise<Result<SweepReport>> {
  const due = await stores.blobs.due(limit, idleSeconds);
  if (!due.success) return failedIn("sweepBlobs", due);
  let removed = 0;
  for (const conversationId of due.data) {
    const collected = await collectBlobs(stores, conversationId);
    if (!collected.success) return failedIn("sweepBlobs", collected);
    removed += collected.data;
  }
  return createSuccess({ conversations: due.data.length, removed });
}
