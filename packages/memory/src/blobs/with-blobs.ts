import * as z from "zod";
import { parseOptions } from "../codec/checks.ts";
import { conversationCursor } from "../codec/query.ts";
import { createSuccess, type Result } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import type { MemoryQuery, WriteMetadata, WriteOptions } from "../contract/provider.ts";
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
  /** The store for the bytes. The provider's `close` doesn't close it. */
  blobs: z.custom<BlobStore>(isBlobStore, { error: "expected a BlobStore" }),
  /**
   * Media of at least this size, in bytes, are stored in the blob store. Smaller media stay in their messages. Default
   * 32,768.
   */
  minBytes: z.int().min(1).default(32_768),
  /** The maximum size of media, in bytes. A write with larger media is refused. Default 67,108,864. */
  maxBytes: z.int().min(1).default(67_108_864),
  /**
   * The size of the cache of loaded media in this process, in bytes. Media stay in the cache for at most a minute.
   * Default 33,554,432. `0` turns the cache off.
   */
  cacheBytes: z.int().min(0).default(33_554_432),
  /**
   * How long a blob is kept, in seconds, while its message isn't stored yet. Default 900. A write fails if it takes
   * longer than half of this time to store its media. If the writer crashes, a sweep can remove the blob after this
   * time.
   */
  holdSeconds: z.int().min(2).default(900),
  /**
   * Called if an operation on blobs fails (e.g. a sweep), but the application's call succeeds. Absent: these failures
   * aren't reported.
   */
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
   * Removes blobs to which no stored message refers. Such blobs remain in three cases:
   *
   * - A conversation has expired.
   * - A store has dropped messages by its own limits.
   * - A process has crashed during a write or an erasure.
   *
   * Writes of media sweep a few conversations now and then. Call this method if blobs must be removed soon after their
   * conversation expires, or if no more media are written. The sweep begins with the conversation that was idle
   * longest.
   */
  readonly sweepBlobs: (options?: SweepOptions) => Promise<Result<SweepReport>>;
}

/** After this many writes of media, this process sweeps a few conversations. */
const SWEEP_EVERY = 8;
const SWEPT_AT_ONCE = 4;

/** Returns the result of `read`, or `undefined` if `read` throws (e.g. a getter of an argument). */
function readable<T>(read: () => T): T | undefined {
  // The provider reads the argument again, and reports the error.
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Whether these options may make a write remove stored messages. */
const mayRemove = (options: WriteOptions | undefined): boolean =>
  options !== undefined &&
  readable(() => options.maxMessages !== undefined || (options.dropLast ?? 0) !== 0) === true;

const isId = (value: unknown): boolean => idIssue("", value) === undefined;

/**
 * Wraps the provider so that the bytes of large media are stored in a `BlobStore` instead of in the messages. This
 * keeps histories small.
 *
 * A media part with `data` of at least `minBytes` is stored as `{ type: "media", mediaType, blob: { sha256, size } }`
 * with its other fields. Reads return the part in this form. `resolveMedia` puts the data back. `exportConversation`
 * puts the data back, too, so that its record can be imported into any store. All other messages are passed on
 * unchanged.
 *
 * The order in which messages and blobs are written and removed:
 *
 * - **A write** first puts the bytes with a hold, then stores the message, then ends the hold. So no stored message
 *   refers to missing bytes. If the writer crashes before it stores the message, the bytes are swept after the hold has
 *   expired. If the result of the write is unknown, the hold stays until it expires. If the write was refused, skipped
 *   or a repeat, its bytes are removed again.
 * - **An erasure** (`deleteConversation`, `clearUserConversations`, `storeMessages`, `dropLast`, `maxMessages`) first
 *   removes the messages, then the blobs to which no remaining message refers. If a crash leaves blobs without a
 *   message, a sweep removes them.
 * - **A removal of blobs** lists the blobs, then reads the conversation, and only removes blobs that are unchanged
 *   since the listing. A writer that puts or keeps a blob changes the blob's token. So the blobs of the writer's next
 *   message aren't removed.
 *
 * Messages that you write may contain references (e.g. an edited history for `storeMessages`). Each reference must be
 * in a stored message of the same conversation, because a hash alone gives no access.
 *
 * `deleteConversation` and `clearUserConversations` fail with a retryable error if they removed the messages but not
 * all blobs. Call the method again, or leave the blobs to a sweep.
 *
 * The blobs of expired conversations (`ttlSeconds`) stay until a sweep: see {@link BlobMethods.sweepBlobs}. The blobs
 * of messages that a store drops by its own limits stay until a sweep, too.
 *
 * Use this wrapper inside all other wrappers: `withFallback(withRetry(withBlobs(store, …)), …)`. A provider that may
 * answer reads from a fallback is refused, because messages that the fallback lacks would count as erased. For this
 * reason, a read of your own provider must return all earlier writes. Don't read from a replica that is updated later.
 *
 * Throws a `TypeError` if the options are invalid.
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

  /**
   * Makes a write without media that may remove stored messages. Then removes the blobs to which no message refers any
   * more.
   */
  async function removeAndCollect(
    conversationId: string,
    store: () => Promise<Result<void>>,
  ): Promise<Result<void>> {
    const stored = await store();
    // Collect blobs after the write. A collection before the write would miss the media of a message that another
    // writer stores in between and that this write removes.
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
      // If the id is invalid, the provider refuses the write.
      const media = isId(conversationId) ? findMedia(messages, minBytes) : undefined;
      const removes = operation === "storeMessages" || mayRemove(given);
      if (media === undefined) {
        return removes && isId(conversationId) ? removeAndCollect(conversationId, store) : store();
      }
      // Copy before the first `await`, so that a later change by the caller doesn't change what is written.
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

const LISTED_AT_ONCE = 500;
const COLLECTED_AT_ONCE = 16;

/** Returns the ids of all conversations that match the query. */
async function idsOf(
  provider: VersionedMemoryProvider,
  condition: Pick<MemoryQuery, "userId"> | Pick<MemoryQuery, "childrenOf">,
): Promise<Result<readonly string[]>> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...condition, limit: LISTED_AT_ONCE, includeMessages: false };
    const page = await provider.findConversations(cursor === undefined ? query : { ...query, cursor });
    if (!page.success) return page;
    found.push(...page.data.map(({ conversationId }) => conversationId));
    const last = page.data.length < LISTED_AT_ONCE ? undefined : page.data.at(-1);
    cursor = last === undefined ? undefined : conversationCursor(last);
  } while (cursor !== undefined);
  return createSuccess(found);
}

/** Returns the ids of the conversations and of all their descendants. */
async function withDescendants(
  provider: VersionedMemoryProvider,
  conversationIds: readonly string[],
): Promise<Result<readonly string[]>> {
  const family = [...conversationIds];
  // The list grows during the loop, by the children of each part.
  for (let from = 0; from < family.length; ) {
    const some = family.slice(from, from + COLLECTED_AT_ONCE);
    from += some.length;
    const results = await Promise.all(some.map((childrenOf) => idsOf(provider, { childrenOf })));
    for (const children of results) {
      if (!children.success) return children;
      family.push(...children.data);
    }
  }
  return createSuccess(family);
}

/** Removes the unused blobs of all these conversations. */
async function collectAll(stores: MediaStores, conversationIds: readonly string[]): Promise<Result<void>> {
  for (let from = 0; from < conversationIds.length; from += COLLECTED_AT_ONCE) {
    const some = conversationIds.slice(from, from + COLLECTED_AT_ONCE);
    const results = await Promise.all(some.map((id) => collectBlobs(stores, id)));
    for (const collected of results) if (!collected.success) return collected;
  }
  return createSuccess(undefined);
}

/** Returns the provider's two methods that delete conversations. They delete the messages first, and then the blobs. */
function createErasures(
  stores: MediaStores,
): Pick<VersionedMemoryProvider, "deleteConversation" | "clearUserConversations"> {
  // If a blob can't be deleted, the call fails although the messages are gone. A repeated `deleteConversation` deletes
  // the remaining blobs of the conversation. A repeated call leaves those of its children, and a repeated
  // `clearUserConversations` all of them, to `sweepBlobs`, because the deleted conversations can't be found.
  const { provider } = stores;
  return {
    deleteConversation: async (conversationId) => {
      if (!isId(conversationId)) return provider.deleteConversation(conversationId);
      // Find the children before the deletion, because they can't be found after it.
      const family = await withDescendants(provider, [conversationId]);
      if (!family.success) return failedIn("deleteConversation", family);
      const deleted = await provider.deleteConversation(conversationId);
      if (!deleted.success) return deleted;
      const collected = await collectAll(stores, family.data);
      return collected.success ? deleted : failedIn("deleteConversation", collected);
    },

    clearUserConversations: async (userId) => {
      if (!isId(userId)) return provider.clearUserConversations(userId);
      const found = await idsOf(provider, { userId });
      if (!found.success) return failedIn("clearUserConversations", found);
      const families = await withDescendants(provider, found.data);
      if (!families.success) return failedIn("clearUserConversations", families);
      const cleared = await provider.clearUserConversations(userId);
      if (!cleared.success) return cleared;
      const collected = await collectAll(stores, families.data);
      return collected.success ? cleared : failedIn("clearUserConversations", collected);
    },
  };
}
