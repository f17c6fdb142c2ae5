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

/**
 * Returns the entries of those blobs that have no hold. If the store keeps several copies of a blob, a hold on one copy
 * counts for all of them.
 */
function freeOf(listed: readonly BlobEntry[]): readonly BlobEntry[] {
  const held = new Set(listed.filter((entry) => entry.held).map(({ sha256 }) => sha256));
  return listed.filter(({ sha256 }) => !held.has(sha256));
}

/**
 * Removes those blobs of a conversation to which no stored message refers. Returns the number of removed blobs. This
 * order makes it safe while other processes write to the conversation:
 *
 * 1. List the blobs. Ignore the blobs with a hold: the writer that holds a blob calls this function after its write.
 * 2. Read the conversation. Before another writer stores a message, it calls `put` or `keep` for the message's blobs.
 *   If this happens after the blobs were listed, it changes the blobs' tokens.
 * 3. Remove the blobs to which no message refers, if they still have the token from the list.
 */
export async function collectBlobs(
  { provider, blobs, cache }: MediaStores,
  conversationId: string,
): Promise<Result<number>> {
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
   * A conversation is skipped if one of its blobs was written, or if it was swept, in the last `idleSeconds`. Default
   * 3,600.
   */
  readonly idleSeconds?: number;
}

/** The result of `sweepBlobs`. */
export interface SweepReport {
  /**
   * The number of conversations that were checked. If this number is less than `limit`, no other conversation has to be
   * swept now.
   */
  readonly conversations: number;
  /** The number of blobs that were removed. */
  readonly removed: number;
}

/**
 * Removes blobs to which no stored message refers. Begins with the conversation that was idle longest, and checks at
 * most `limit` conversations. Stops at the first failure and returns it. The next sweep continues with the
 * conversations that weren't returned by `due` yet.
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
