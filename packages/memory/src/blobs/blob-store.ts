import * as z from "zod";
import { createFailure, type MemoryErrorUnion, type Result } from "../contract/errors.ts";
import type { BlobReference } from "../contract/message.ts";

/**
 * Protects a blob from removal until the message that refers to the blob is stored. A hold ends when it is released. If
 * the writer crashes, the hold ends after `seconds` by the store's clock.
 */
export interface BlobHold {
  /** A random id. Each write uses a new one. */
  readonly id: string;
  readonly seconds: number;
}

/** A blob to be stored. */
export interface NewBlob {
  readonly conversationId: string;
  /** The SHA-256 of `data`, hex. */
  readonly sha256: string;
  readonly data: Uint8Array;
}

/** A stored blob without its bytes, as it was when `list` returned it. */
export interface BlobEntry {
  readonly sha256: string;
  /** The number of bytes. */
  readonly size: number;
  /**
   * A text that changes with each `put` and `keep` of the blob by any writer. `remove` only removes a blob with an
   * unchanged token.
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
 * The token makes it safe to remove blobs while other processes write. Each `put` and `keep` changes the blob's token,
 * and `remove` only removes a blob whose token hasn't changed since `list`. For each blob, this check and the removal
 * are one atomic step.
 */
export interface BlobBackend {
  /** The store's name in errors (e.g. `"postgres"`). */
  readonly name: string;
  /**
   * Stores a blob. If the same blob is already stored, it stays. In both cases, the blob gets the hold and a new token.
   * When the promise resolves, the blob can be read.
   */
  readonly put: (blob: NewBlob, hold: BlobHold) => Promise<void>;
  /**
   * Adds the hold to those of the blobs that exist, and gives each a new token. Returns the hashes of the blobs that
   * exist.
   */
  readonly keep: (
    conversationId: string,
    hashes: readonly string[],
    hold: BlobHold,
  ) => Promise<readonly string[]>;
  /** Ends the hold with the id `holdId` on these blobs. Other holds, and the tokens of the blobs, stay. */
  readonly release: (conversationId: string, hashes: readonly string[], holdId: string) => Promise<void>;
  /** Returns a copy of the bytes, or `null` if the conversation has no blob with this hash. */
  readonly get: (conversationId: string, sha256: string) => Promise<Uint8Array | null>;
  /**
   * Returns the conversation's blobs without their bytes. If a store keeps several copies of a blob, it returns each
   * copy, with a token of its own.
   */
  readonly list: (conversationId: string) => Promise<readonly BlobEntry[]>;
  /**
   * Removes those blobs that still have the given token. Afterwards nothing of their bytes is left. Returns the number
   * of removed blobs.
   */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<number>;
  /**
   * Returns at most `limit` ids of conversations that are due for a sweep. Such a conversation has blobs, and in the
   * last `idleSeconds` neither `put` was called for it nor did `due` return it. The conversation that was idle longest
   * comes first. In this way, several sweepers share the work, and every conversation is swept at some time.
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
 * Stores the bytes of large media for `withBlobs`. Create a blob store with `createInMemoryBlobStore`, with the package
 * of a store, or with `defineBlobStore`.
 *
 * Failures are tagged errors in the result, and nothing is thrown. An id that a `MemoryProvider` would refuse, or a
 * hash of another form, is a `MemoryValidationError`.
 */
export interface BlobStore {
  /** The name of the backend (e.g. `"postgres"`). */
  readonly name: string;
  /** Stores the bytes with a hold. Returns their SHA-256, under which they can be read, and their size. */
  readonly put: (
    conversationId: string,
    data: Uint8Array,
    hold: BlobHold,
  ) => Promise<Result<Pick<BlobReference, "sha256" | "size">>>;
  /** Adds the hold to those of the blobs that exist. Returns the hashes of the blobs that exist. */
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
   * Returns the bytes, or `null` if the conversation has no blob with this hash. If the hash of the stored bytes is
   * different, the result is a `MemoryStorageError`.
   */
  readonly get: (conversationId: string, sha256: string) => Promise<Result<Uint8Array | null>>;
  /** Returns the conversation's blobs without their bytes. */
  readonly list: (conversationId: string) => Promise<Result<readonly BlobEntry[]>>;
  /** Removes those of the blobs whose token hasn't changed since `list`. Returns the number of removed blobs. */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<Result<number>>;
  /**
   * Returns at most `limit` ids of conversations that are due for a sweep: their blobs were neither written nor swept
   * in the last `idleSeconds`. The conversation that was idle longest comes first.
   */
  readonly due: (limit: number, idleSeconds: number) => Promise<Result<readonly string[]>>;
  /**
   * Closes what the store opened itself. Calls of other methods then fail with `MemoryConnectionError`. Closing again
   * succeeds.
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

/**
 * Returns the value if it is a reference to a blob, otherwise `undefined`: a field `blob` may also come from another
 * framework.
 */
export function parseReference(value: unknown): BlobReference | undefined {
  const parsed = referenceSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Returns the failure of an inner call as the failure of `operation`, the method that the application called. */
export const failedIn = (operation: string, { error }: { readonly error: MemoryErrorUnion }) =>
  createFailure({ ...error, operation });
