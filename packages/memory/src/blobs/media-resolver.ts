import {
  createFailure,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  type Result,
} from "../contract/errors.ts";
import type { BlobReference, RichMessage } from "../contract/message.ts";
import { base64Of } from "../runtime/bytes.ts";
import { type BlobStore, failedIn, parseReference } from "./blob-store.ts";
import { referencesOf, withData } from "./media-parts.ts";

/** Options of `resolveMedia`. */
export interface ResolveOptions {
  /**
   * What to do if the bytes of a media part are no longer stored:
   *
   * - `"fail"` (default): the call fails.
   * - `"leave"`: the part keeps its reference.
   */
  readonly missing?: "fail" | "leave";
}

/** The methods that return the bytes of large media, for a provider that stores these bytes in a blob store. */
export interface MediaResolver {
  /**
   * Returns the bytes of one media part. `reference` is the part's field `blob` in the stored message. If the bytes are
   * no longer stored, the call fails with a `MemoryStorageError`.
   */
  readonly readBlob: (conversationId: string, reference: BlobReference) => Promise<Result<Uint8Array>>;
  /**
   * Returns the messages as they were before `withBlobs` stored them: each reference is replaced by a copy of its
   * `data`. Messages without references stay the same objects. If no message has a reference, the blob store isn't
   * called. All bytes are in this process's memory at the same time. Therefore only pass the messages for the model,
   * not a whole history.
   */
  readonly resolveMedia: <M extends RichMessage>(
    conversationId: string,
    messages: readonly M[],
    options?: ResolveOptions,
  ) => Promise<Result<readonly M[]>>;
}

/**
 * Whether the provider has the methods of {@link MediaResolver} (e.g. because `withBlobs` returned it). If so, its
 * messages may contain references to blobs.
 *
 * @example
 * ```ts
 * import { isMediaResolver, type MemoryProvider, type Message } from "@jaf/memory";
 *
 * // The messages with their images in place, e.g. for an export of a part of a conversation.
 * export const withMedia = async (provider: MemoryProvider, id: string, messages: readonly Message[]) =>
 *   isMediaResolver(provider)
 *     ? provider.resolveMedia(id, messages, { missing: "leave" })
 *     : ({ success: true, data: messages } as const);
 * ```
 */
export const isMediaResolver = <P extends object>(provider: P): provider is P & MediaResolver =>
  "resolveMedia" in provider && typeof provider.resolveMedia === "function";

const READ_AT_ONCE = 4;

export function createMediaResolver(blobs: BlobStore, cache: BlobCache): MediaResolver {
  const provider = blobs.name;

  async function find(conversationId: string, sha256: string): Promise<Result<Uint8Array | null>> {
    const cached = cache.get(conversationId, sha256);
    if (cached !== undefined) return createSuccess(cached);
    const read = await blobs.get(conversationId, sha256);
    if (read.success && read.data !== null) cache.set(conversationId, sha256, read.data);
    return read;
  }

  const missing = (operation: string) => {
    const reason = "the bytes of a media part are not stored: it was erased, or its blob store lost them.";
    return createFailure(createMemoryStorageError(operation, reason, { provider }));
  };

  return {
    readBlob: async (conversationId, reference) => {
      const parsed = parseReference(reference);
      if (parsed === undefined) {
        const issues = [{ path: "reference", expected: "a reference of a media part" }];
        return createFailure(createMemoryValidationError(issues, { provider, operation: "readBlob" }));
      }
      const found = await find(conversationId, parsed.sha256);
      if (!found.success) return failedIn("readBlob", found);
      return found.data === null ? missing("readBlob") : createSuccess(new Uint8Array(found.data));
    },

    resolveMedia: async (conversationId, messages, options = {}) => {
      const hashes = [...new Set(referencesOf(messages).map(({ sha256 }) => sha256))];
      if (hashes.length === 0) return createSuccess(messages);
      const bytes = new Map<string, Uint8Array>();
      for (let from = 0; from < hashes.length; from += READ_AT_ONCE) {
        const some = hashes.slice(from, from + READ_AT_ONCE);
        const read = await Promise.all(some.map((sha256) => find(conversationId, sha256)));
        for (const [at, found] of read.entries()) {
          if (!found.success) return failedIn("resolveMedia", found);
          if (found.data !== null) bytes.set(some[at] ?? "", found.data);
          else if (options.missing !== "leave") return missing("resolveMedia");
        }
      }
      const dataOf = ({ sha256, encoding }: BlobReference) => {
        const data = bytes.get(sha256);
        if (data === undefined) return undefined;
        return encoding === "base64" ? base64Of(data) : new Uint8Array(data);
      };
      return createSuccess(messages.map((message) => withData(message, dataOf)));
    },
  };
}

/** A cache of bytes that were read from a blob store, by conversation id and hash. */
export interface BlobCache {
  readonly get: (conversationId: string, sha256: string) => Uint8Array | undefined;
  readonly set: (conversationId: string, sha256: string, data: Uint8Array) => void;
  readonly delete: (conversationId: string, sha256: string) => void;
}

/**
 * How long bytes stay in the cache, in milliseconds. If another process erases the bytes, this process may still return
 * them for this time.
 */
const ENTRY_MS = 60_000;

interface CacheEntry {
  readonly data: Uint8Array;
  readonly until: number;
}

// Two different pairs never have the same key, because neither a hash nor an id contains NUL.
const cacheKey = (conversationId: string, sha256: string): string => `${sha256}\0${conversationId}`;

/**
 * Creates a cache that holds at most `maxBytes`. If the cache is full, it drops the bytes that were not read for the
 * longest time.
 */
export function createBlobCache(maxBytes: number): BlobCache {
  /** The cached bytes. The bytes that were not read for the longest time come first. */
  const entries = new Map<string, CacheEntry>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= entries.get(key)?.data.byteLength ?? 0;
    entries.delete(key);
  }

  return {
    get: (conversationId, sha256) => {
      const key = cacheKey(conversationId, sha256);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.until <= Date.now()) {
        drop(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.data;
    },
    set: (conversationId, sha256, data) => {
      const key = cacheKey(conversationId, sha256);
      drop(key);
      if (data.byteLength > maxBytes) return;
      entries.set(key, { data, until: Date.now() + ENTRY_MS });
      bytes += data.byteLength;
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) return;
        drop(oldest);
      }
    },
    delete: (conversationId, sha256) => drop(cacheKey(conversationId, sha256)),
  };
}
