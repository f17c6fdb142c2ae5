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

/** Returns the blobs without a hold on any of their copies. */
function freeOf(listed: readonly BlobEntry[]): readonly BlobEntry[] {
  const held = new Set(listed.filter((entry) => entry.held).map(({ sha256 }) => sha256));
  return listed.filter(({ sha256 }) => !held.has(sha256));
}

/**
 * Removes a conversation's blobs that no stored message names. Returns the number of removed blobs. The order makes it
 * safe during writes:
 *
 * 1. List the blobs. Blobs with a hold are left to the writers that hold them, who collect when they are done.
 * 2. Read the conversation. Messages are only stored under a hold. So if a later message names one of the other blobs,
 *    its writer has put or kept the blob after the listing, and the token has changed.
 * 3. Remove the blobs that no message names and that still have the listed token.
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
  /** The maximum number of conversations. Default 100. */
  readonly limit?: number;
  /** Skips conversations that were written or swept within this many seconds. Default 3,600. */
  readonly idleSeconds?: number;
}

/** The result of `sweepBlobs`. */
export interface SweepReport {
  /** The number of swept conversations. If it is below `limit`, no more are due now. */
  readonly conversations: number;
  /** The number of removed blobs. */
  readonly removed: number;
}

/** Collects in the conversations that have waited longest. The first failure ends it; the next sweep continues. */
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
