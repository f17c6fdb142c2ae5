import * as z from "zod";
import { parseOptions } from "../codec/checks.ts";
import { conversationCursor } from "../codec/query.ts";
import { createSuccess, type Result } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import type { WriteMetadata, WriteOptions } from "../contract/provider.ts";
import type { VersionedMemoryProvider } from "../contract/versioned-provider.ts";
import { copyArgument, extendObject } from "../runtime/objects.ts";
import { notifyObserver } from "../runtime/observer.ts";
import { mayAnswerFromFallback } from "../wrappers/fallback.ts";
import { type BlobStore, failedIn } from "./blob-store.ts";
import {
  collectBlobs,
  type MediaStores,
  type SweepOptions,
  type SweepReport,
  sweep,
} from "./garbage-collection.ts";
import { findMedia } from "./media-parts.ts";
import { createBlobCache, createMediaResolver, type MediaResolver } from "./media-resolver.ts";
import { type BlobErrorEvent, createMediaWriter, type MediaWrite } from "./media-writer.ts";

const isBlobStore = (value: unknown): value is BlobStore =>
  typeof value === "object" && value !== null && "put" in value && typeof value.put === "function";

const blobOptionsSchema = z.strictObject({
  /** Where the bytes are stored. It stays open when the provider is closed. */
  blobs: z.custom<BlobStore>(isBlobStore, { error: "expected a BlobStore" }),
  /** Smaller media stay in their messages. Default 32,768. */
  minBytes: z.int().min(1).default(32_768),
  /** Larger media are refused. Default 67,108,864. */
  maxBytes: z.int().min(1).default(67_108_864),
  /**
   * The size of this process's cache of read media; each entry is cached for at most a minute. Default 33,554,432; 0
   * turns it off.
   */
  cacheBytes: z.int().min(0).default(33_554_432),
  /**
   * How long media are kept before their message is stored; after a crash of the writer, they are swept after this
   * time. A write fails if storing its media takes longer than half of it. Default 900.
   */
  holdSeconds: z.int().min(2).default(900),
  /** Called for failures that don't fail a call. Default: they are not reported. */
  onBlobError: z
    .custom<(event: BlobErrorEvent) => void>((value) => typeof value === "function", {
      error: "expected a function",
    })
    .optional(),
});

/** Options of `withBlobs`. */
export type BlobOptions = z.input<typeof blobOptionsSchema>;

/** The methods that {@link withBlobs} adds to a provider. */
export interface BlobMethods extends MediaResolver {
  /**
   * Removes blobs that no stored message refers to. They remain after expiry, limits of the store, and crashes. Begins
   * with the conversations that were swept longest ago. Writes of media also sweep a few conversations, so only call it
   * if media must be removed soon after their conversation expires, or if nothing is written any more.
   */
  readonly sweepBlobs: (options?: SweepOptions) => Promise<Result<SweepReport>>;
}

/** One in this many writes of media sweeps some conversations that were not checked for an hour. */
const SWEEP_EVERY = 8;
const SWEPT_AT_ONCE = 4;

/** Returns `undefined` if reading throws. The store reports that. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Whether the write may remove messages. The store's own limits are not known here. */
const mayRemove = (options: WriteOptions | undefined): boolean =>
  options !== undefined &&
  readable(() => options.maxMessages !== undefined || (options.dropLast ?? 0) !== 0) === true;

const isId = (value: unknown): boolean => idIssue("", value) === undefined;

/**
 * Wraps the provider to store the bytes of large media in a `BlobStore` instead of its messages. A media part with
 * `data` of at least `minBytes` is stored, and read, as `{ type: "media", mediaType, blob: { sha256, size } }` with its
 * other fields. This keeps histories small. `resolveMedia` puts the data back, and so does `exportConversation`, so a
 * record can be imported anywhere. Other messages are passed on unchanged.
 *
 * The order of steps:
 *
 * - **A write** first puts the bytes under a hold, then stores the message, then ends the hold. So no stored message
 *   names missing bytes. After a crash before the message, the bytes are swept when the hold has expired; a crash after
 *   it leaves nothing behind. If the outcome of the write is unknown, the hold is left to expire, because the message
 *   may still be stored. A write that was refused, replayed or skipped removes its bytes again.
 * - **An erasure** (`deleteConversation`, `clearUserConversations`, `storeMessages`, `dropLast`, `maxMessages`) first
 *   removes the messages, then the blobs that no remaining message names. In the opposite order, a crash would leave
 *   messages without their media. Blobs that a crash leaves behind are swept.
 * - **Removing blobs** lists them, then reads the conversation, and only removes blobs that are unchanged since the
 *   listing: a writer that has put or kept a blob since has changed its token. So no concurrent writer loses a blob
 *   that its message will name.
 *
 * A reference that you write back, e.g. with `storeMessages` and an edited history, must be in a stored message of the
 * same conversation: a hash alone gives no access. `deleteConversation` and `clearUserConversations` fail with a
 * retryable error if the messages are gone but blobs could not be removed: call them again, or leave the blobs to the
 * sweep.
 *
 * If conversations expire (`ttlSeconds`), or a store drops messages or conversations by its own limits, their blobs are
 * left to the sweep: see {@link BlobMethods.sweepBlobs}. Wrap the store first:
 * `withFallback(withRetry(withBlobs(store, …)), …)`. A provider that may answer reads from a fallback is refused,
 * because messages that the fallback doesn't have would count as erased. For the same reason, your own provider must
 * read its own writes, not a copy that lags.
 *
 * Throws a `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import { createInMemoryBlobStore, createInMemoryProvider, withBlobs } from "@jaf/memory";
 *
 * const provider = withBlobs(createInMemoryProvider(), { blobs: createInMemoryBlobStore() });
 * const read = await provider.getRecentMessages("conv-123");
 * const withMedia = read.success ? await provider.resolveMedia("conv-123", read.data) : read;
 * if (withMedia.success) console.log(withMedia.data);
 * ```
 */
export function withBlobs<P extends VersionedMemoryProvider>(
  provider: P,
  options: BlobOptions,
): P & BlobMethods {
  const parsed = parseOptions(blobOptionsSchema, options, "blob options");
  const { blobs, minBytes, cacheBytes, onBlobError, ...settings } = parsed;
  if (mayAnswerFromFallback(provider)) {
    throw new TypeError("Invalid provider: expected withFallback around withBlobs, not inside it.");
  }
  const report = (event: BlobErrorEvent) => notifyObserver("onBlobError", onBlobError, event);
  const cache = createBlobCache(cacheBytes);
  const stores = { provider, blobs, cache };
  const writer = createMediaWriter({ ...stores, settings, report });
  const reading = createMediaResolver(blobs, cache);
  let mediaWrites = Math.floor(Math.random() * SWEEP_EVERY); // Random, so many processes that each write little also sweep.

  async function writeMedia(write: MediaWrite): Promise<Result<void>> {
    const written = await writer.write(write);
    mediaWrites += 1;
    if (!written.success || mediaWrites % SWEEP_EVERY !== 0) return written;
    const swept = await sweep(stores, { limit: SWEPT_AT_ONCE });
    if (!swept.success) report({ step: "sweep", error: swept.error });
    return written;
  }

  /** Writes messages without media that may replace some with media. */
  async function removeAndCollect(
    conversationId: string,
    store: () => Promise<Result<void>>,
  ): Promise<Result<void>> {
    const stored = await store();
    // Not before: that would miss media that another writer stored in between and this write removed.
    if (stored.success) await writer.collect(conversationId);
    return stored;
  }

  const write =
    (operation: "storeMessages" | "appendMessages") =>
    async (
      conversationId: string,
      messages: readonly Message[],
      metadata?: WriteMetadata,
      given?: WriteOptions,
    ): Promise<Result<void>> => {
      const store = () => provider[operation](conversationId, messages, metadata, given);
      // The store reports an invalid id.
      const media = isId(conversationId) ? findMedia(messages, minBytes) : undefined;
      const removes = operation === "storeMessages" || mayRemove(given);
      if (media === undefined) {
        return removes && isId(conversationId) ? removeAndCollect(conversationId, store) : store();
      }
      // Copy before anything is awaited: the write uses its arguments as they were at the call.
      const fixed = [copyArgument(metadata), copyArgument(given)] as const;
      return writeMedia({
        ...{ operation, conversationId, media, removes },
        idempotencyKey: readable(() => fixed[1]?.idempotencyKey),
        store: (batch) => provider[operation](conversationId, batch, ...fixed),
      });
    };

  const methods: Partial<VersionedMemoryProvider> & BlobMethods = {
    ...reading,
    ...createErasures(stores),
    storeMessages: write("storeMessages"),
    appendMessages: write("appendMessages"),
    exportConversation: async (conversationId) => {
      const record = await provider.exportConversation(conversationId);
      if (!record.success || record.data === null) return record;
      const resolved = await reading.resolveMedia(conversationId, record.data.messages);
      if (!resolved.success) return failedIn("exportConversation", resolved);
      return createSuccess({ ...record.data, messages: resolved.data });
    },
    importConversation: async (record, given) => {
      const media = readable(() =>
        isId(record.conversationId) ? findMedia(record.messages, minBytes) : undefined,
      );
      if (media === undefined) return provider.importConversation(record, given);
      const [own, options] = [copyArgument({ ...record, messages: [] }), copyArgument(given)];
      return writeMedia({
        ...{ operation: "importConversation", conversationId: own.conversationId, media, removes: false },
        idempotencyKey: readable(() => options?.idempotencyKey),
        store: (messages) => provider.importConversation({ ...own, messages }, options),
      });
    },
    sweepBlobs: (given = {}) => sweep(stores, given),
  };
  return extendObject(provider, methods) as P & BlobMethods;
}

const OF_USER_AT_ONCE = 500;
const COLLECTED_AT_ONCE = 16;

async function conversationsOf(
  provider: VersionedMemoryProvider,
  userId: string,
): Promise<Result<readonly string[]>> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { userId, limit: OF_USER_AT_ONCE, includeMessages: false };
    const page = await provider.findConversations(cursor === undefined ? query : { ...query, cursor });
    if (!page.success) return page;
    found.push(...page.data.map(({ conversationId }) => conversationId));
    const last = page.data.length < OF_USER_AT_ONCE ? undefined : page.data.at(-1);
    cursor = last === undefined ? undefined : conversationCursor(last);
  } while (cursor !== undefined);
  return createSuccess(found);
}

/**
 * Returns the provider's delete methods, extended to delete the blobs, too. They delete the messages first: if a blob
 * then can't be deleted, the call fails although the messages are gone. Repeating is safe. A repeated
 * `deleteConversation` deletes the remaining blobs. Blobs that `clearUserConversations` couldn't delete are left to
 * `sweepBlobs`, because their conversations can't be found by the user any more.
 */
function createErasures(
  stores: MediaStores,
): Pick<VersionedMemoryProvider, "deleteConversation" | "clearUserConversations"> {
  const { provider } = stores;
  return {
    deleteConversation: async (conversationId) => {
      const deleted = await provider.deleteConversation(conversationId);
      if (!deleted.success) return deleted;
      const collected = await collectBlobs(stores, conversationId);
      return collected.success ? deleted : failedIn("deleteConversation", collected);
    },

    clearUserConversations: async (userId) => {
      if (idIssue("", userId) !== undefined) return provider.clearUserConversations(userId);
      // List them first: after the deletion they can't be found.
      const found = await conversationsOf(provider, userId);
      if (!found.success) return failedIn("clearUserConversations", found);
      const cleared = await provider.clearUserConversations(userId);
      if (!cleared.success) return cleared;
      for (let from = 0; from < found.data.length; from += COLLECTED_AT_ONCE) {
        const some = found.data.slice(from, from + COLLECTED_AT_ONCE);
        const results = await Promise.all(some.map((id) => collectBlobs(stores, id)));
        for (const collected of results)
          if (!collected.success) return failedIn("clearUserConversations", collected);
      }
      return cleared;
    },
  };
}
