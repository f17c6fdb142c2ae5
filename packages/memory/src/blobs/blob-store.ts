import type { Result } from "../result.ts";
import type { BlobEntry, BlobHold, ListedBlob } from "./blob-backend.ts";
import type { BlobReference } from "./reference.ts";

/**
 * Stores the bytes of large media, for `withBlobs`. Make one with `createInMemoryBlobStore`, with the
 * package of a store, or with `defineBlobStore` of a `BlobBackend`, which documents each method.
 *
 * Ids are checked as those of a `MemoryProvider`, and hashes; invalid ones are a `MemoryValidationError`. Failures
 * are tagged errors, absence is `null`, and nothing is thrown.
 */
export interface BlobStore {
  /** The backend's name. */
  readonly name: string;
  /** Stores the bytes under their hash, with a hold on them. */
  readonly put: (
    conversationId: string,
    data: Uint8Array,
    hold: BlobHold,
  ) => Promise<Result<Pick<BlobReference, "sha256" | "size">>>;
  /** Puts a hold on those that exist. Returns the hashes of those. */
  readonly keep: (
    conversationId: string,
    hashes: readonly string[],
    hold: BlobHold,
  ) => Promise<Result<readonly string[]>>;
  readonly release: (
    conversationId: string,
    hashes: readonly string[],
    holdId: string,
  ) => Promise<Result<void>>;
  /** The bytes; `null` if they aren't there. Bytes that have another hash are a `MemoryStorageError`. */
  readonly get: (conversationId: string, sha256: string) => Promise<Result<Uint8Array | null>>;
  readonly list: (conversationId: string) => Promise<Result<readonly BlobEntry[]>>;
  /** Removes those that haven't changed since they were listed. Returns how many. */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<Result<number>>;
  /** Conversations that are due to be swept; see `BlobBackend`. */
  readonly due: (limit: number, idleSeconds: number) => Promise<Result<readonly string[]>>;
  /** Closes what the store opened. Later calls fail with `MemoryConnectionError`. Closing twice is a success. */
  readonly close: () => Promise<Result<void>>;
}
