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

/** Where any copy is held, none is free. */
function freeOf(listed: readonly BlobEntry[]): readonly BlobEntry[] {
  const held = new Set(listed.filter((entry) => entry.held).map(({ sha256 }) => sha256));
  return listed.filter(({ sha256 }) => !held.has(sha256));
}

/**
 * Removes a conversation's blobs that no stored message names; how many. In this order, since writers don't wait:
 *
 * 1. The blobs are listed. Those with a hold are left to the writers that hold them, who collect when they are done.
 * 2. The conversation is read. A message that is stored later and names one of the others comes from a writer that has put
 *    or kept it after the list, since messages are stored only under a hold: so it has another token.
 * 3. Those that no message names are removed, where their token is still the listed one.
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

export interface SweepOptions {
  /** How many conversations to look at, at most. Default 100. */
  readonly limit?: number;
  /** Skips conversations that were written or swept within this time. Default 3,600. */
  readonly idleSeconds?: number;
}

export interface SweepReport {
  /** How many were swept. Fewer than `limit`: there are no more for now. */
  readonly conversations: number;
  /** How many blobs were removed. */
  readonly removed: number;
}

/** Collects in conversations that have waited longest. The first failure ends it; the next sweep goes on. */
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
