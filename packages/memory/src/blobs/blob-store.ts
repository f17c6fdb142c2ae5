import * as z from "zod";
import { createFailure, type MemoryErrorUnion, type Result } from "../contract/errors.ts";
import type { BlobReference } from "../contract/message.ts";

/**
 * Protects a blob from removal until the message that refers to the blob is stored. `release` ends the hold. Without a
 * `release` (e.g. after a crash), the hold ends `seconds` after it began, by the store's clock.
 */
export interface BlobHold {
  /** A random id. Each write of messages uses a new id. */
  readonly id: string;
  readonly seconds: number;
}

/** A blob to be stored. */
export interface NewBlob {
  readonly conversationId: string;
  /** The SHA-256 of `data`, as 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly data: Uint8Array;
}

/** A stored blob, without its bytes. */
export interface BlobEntry {
  readonly sha256: string;
  /** The number of bytes. */
  readonly size: number;
  /**
   * A random text. Each `put` and `keep` of the blob, by any writer, gives the blob a new token. `remove` only removes
   * a blob that still has the given token.
   */
  readonly token: string;
  /** Whether the blob has at least one hold that has neither been released nor expired. */
  readonly held: boolean;
}

/** A blob to be removed, with the token that `list` returned. */
export type ListedBlob = Pick<BlobEntry, "sha256" | "token">;

/**
 * The storage port for the bytes of large media. `defineBlobStore` makes a `BlobStore` from a backend. The `BlobStore`
 * checks all arguments, so a backend only does I/O. Methods may throw their driver's errors.
 *
 * Every blob belongs to one conversation. It can only be found by the conversation's id together with the hash of its
 * bytes. The same bytes in two conversations are stored twice. Therefore a hash reveals nothing about another
 * conversation, and each copy is erased on its own. Conversation ids are compared exactly. They have 1 to 255 UTF-16
 * units, and may contain any character except NUL and unpaired surrogates.
 *
 * The blob's token makes it safe to remove blobs while other processes write. Each `put` and `keep` changes the token,
 * and `remove` only removes a blob whose token hasn't changed since `list`. For each blob, the check of the token and
 * the removal are atomic: no `put` or `keep` can come between them.
 */
export interface BlobBackend {
  /** The store's name in errors (e.g. `"postgres"`). */
  readonly name: string;
  /**
   * Stores a blob with a hold and a new token. If the conversation already has a blob with this hash, the blob's bytes
   * and other holds stay. When the promise resolves, the blob can be read.
   */
  readonly put: (blob: NewBlob, hold: BlobHold) => Promise<void>;
  /**
   * Adds a hold to the conversation's blobs with these hashes, and gives each of the blobs a new token. Returns the
   * hashes of the blobs that got the hold. Hashes without a blob are left out.
   */
  readonly keep: (
    conversationId: string,
    hashes: readonly string[],
    hold: BlobHold,
  ) => Promise<readonly string[]>;
  /**
   * Ends the hold with the id `holdId` on these blobs. Other holds on the blobs stay, and their tokens don't change.
   */
  readonly release: (conversationId: string, hashes: readonly string[], holdId: string) => Promise<void>;
  /** Returns a copy of the bytes, or `null` if the conversation has no blob with this hash. */
  readonly get: (conversationId: string, sha256: string) => Promise<Uint8Array | null>;
  /**
   * Returns the conversation's blobs without their bytes. If the store keeps several copies of a blob, the result
   * contains one entry for each copy, with the copy's own token.
   */
  readonly list: (conversationId: string) => Promise<readonly BlobEntry[]>;
  /**
   * Removes those of the given blobs that still have the given token. Returns the number of removed blobs. Nothing of
   * the removed bytes may stay in the storage.
   */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<number>;
  /**
   * Returns at most `limit` ids of conversations with blobs that were idle for `idleSeconds`. The conversation that was
   * idle longest comes first.
   *
   * The idle time of a conversation begins with a `put` to it. It begins again whenever `due` returns the conversation.
   * So several processes that sweep get different conversations.
   */
  readonly due: (limit: number, idleSeconds: number) => Promise<readonly string[]>;
  /** Closes the clients that the backend opened itself, but no client that it was given. Called at most once. */
  readonly close: () => Promise<void>;
  /**
   * Converts an error that a method threw into a tagged error. Default: a retryable `MemoryStorageError` that contains
   * the name of the error's class.
   */
  readonly toMemoryError?: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Stores the bytes of large media for `withBlobs`. There are three ways to create a blob store:
 *
 * - `createInMemoryBlobStore`,
 * - the function of a backend's package (e.g. `@jaf/memory-redis`),
 * - `defineBlobStore`, for your own backend.
 *
 * Methods don't throw: failures are tagged errors in the result. The hash of a blob must be a SHA-256 in 64 lower-case
 * hexadecimal digits. Another hash is a `MemoryValidationError`. An id that a `MemoryProvider` would refuse is a
 * `MemoryValidationError`, too.
 */
export interface BlobStore {
  /** The name of the backend (e.g. `"postgres"`). */
  readonly name: string;
  /** Stores the bytes with a hold. Returns their size and their SHA-256. `get` finds the bytes by this SHA-256. */
  readonly put: (
    conversationId: string,
    data: Uint8Array,
    hold: BlobHold,
  ) => Promise<Result<Pick<BlobReference, "sha256" | "size">>>;
  /**
   * Adds a hold to the conversation's blobs with these hashes. Returns the hashes of the blobs that got the hold.
   * Hashes without a blob are left out.
   */
  readonly keep: (
    conversationId: string,
    hashes: readonly string[],
    hold: BlobHold,
  ) => Promise<Result<readonly string[]>>;
  /** Ends the hold with the id `holdId` on these blobs. Other holds on them stay. */
  readonly release: (
    conversationId: string,
    hashes: readonly string[],
    holdId: string,
  ) => Promise<Result<void>>;
  /**
   * Returns the bytes, or `null` if the conversation has no blob with this hash. If the stored bytes were changed and
   * have another hash, the call fails with a `MemoryStorageError`.
   */
  readonly get: (conversationId: string, sha256: string) => Promise<Result<Uint8Array | null>>;
  /** Returns the conversation's blobs without their bytes. */
  readonly list: (conversationId: string) => Promise<Result<readonly BlobEntry[]>>;
  /**
   * Removes those of the given blobs that still have the given token (from `list`). Returns the number of removed
   * blobs.
   */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<Result<number>>;
  /**
   * Returns at most `limit` ids of conversations with blobs that were idle for `idleSeconds`. The conversation that was
   * idle longest comes first.
   *
   * The idle time of a conversation begins with a `put` to it. It begins again whenever `due` returns the conversation.
   */
  readonly due: (limit: number, idleSeconds: number) => Promise<Result<readonly string[]>>;
  /**
   * Closes the clients that the store opened itself. After `close`, all other methods fail with a
   * `MemoryConnectionError`, and another `close` returns the result of the first one.
   */
  readonly close: () => Promise<Result<void>>;
}

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, {
  error: "expected a SHA-256 of 64 hexadecimal digits in lower case",
});

const referenceSchema = z.strictObject({
  sha256: sha256Schema,
  size: z.int().min(0),
  encoding: z.literal("base64").exactOptional(),
});

/** Returns the value if it is a valid reference to a blob, otherwise `undefined`. */
export function parseReference(value: unknown): BlobReference | undefined {
  // A media part from another framework may have a field `blob` with any value.
  const parsed = referenceSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/**
 * Converts the failure of a `BlobStore`'s method into a failure of the provider's method `operation` (e.g.
 * `"appendMessages"`).
 */
export const failedIn = (operation: string, { error }: { readonly error: MemoryErrorUnion }) =>
  createFailure({ ...error, operation });
