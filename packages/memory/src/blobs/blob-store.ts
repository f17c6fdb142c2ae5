import * as z from "zod";
import { createFailure, type MemoryErrorUnion, type Result } from "../contract/errors.ts";
import type { BlobReference } from "../contract/message.ts";

/**
 * Protects a blob from removal until the message that names it is stored. It ends when it is released, or after
 * `seconds` by the store's clock, in case the writer crashed.
 */
export interface BlobHold {
  /** Random, unique to one write. */
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

/** A blob at the time of its listing. */
export interface BlobEntry {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** Changes with each `put` and `keep` of any writer. `remove` compares it. */
  readonly token: string;
  /** Whether it has a hold that is neither released nor expired. */
  readonly held: boolean;
}

/** A blob to be removed, as `list` returned it. */
export type ListedBlob = Pick<BlobEntry, "sha256" | "token">;

/**
 * The storage port for the bytes of large media. `defineBlobStore` makes a `BlobStore` from it and checks all
 * arguments, so a backend only does I/O. Methods throw their driver's errors.
 *
 * Every blob belongs to one conversation, and is only found by that conversation's id and the hash. The same bytes in
 * two conversations are stored twice: a hash reveals nothing about another conversation, and each copy is erased
 * separately. Conversation ids are compared exactly, like those of a `MemoryProvider`: 1 to 255 UTF-16 units, any
 * characters.
 *
 * The token makes erasure safe during writes. `remove` only removes blobs that are unchanged since the listing: a
 * writer that has put or kept a blob since has changed its token. This is atomic for each blob.
 */
export interface BlobBackend {
  /** The name in errors, e.g. `"postgres"`. */
  readonly name: string;
  /**
   * Stores the blob, or stores it again. When the promise resolves, the blob can be read, and has the hold and a new
   * token.
   */
  readonly put: (blob: NewBlob, hold: BlobHold) => Promise<void>;
  /** Adds the hold and a new token to the blobs that exist. Returns their hashes. */
  readonly keep: (
    conversationId: string,
    hashes: readonly string[],
    hold: BlobHold,
  ) => Promise<readonly string[]>;
  /** Ends this hold on these blobs. Other holds and the tokens stay. */
  readonly release: (conversationId: string, hashes: readonly string[], holdId: string) => Promise<void>;
  /** Returns a copy of the bytes, or `null` if there are none. */
  readonly get: (conversationId: string, sha256: string) => Promise<Uint8Array | null>;
  /**
   * Lists the blobs without their bytes. A store that keeps several copies of a blob lists each, with its own token.
   */
  readonly list: (conversationId: string) => Promise<readonly BlobEntry[]>;
  /**
   * Removes the blobs that still have the given token, permanently and completely. Returns the number of removed blobs.
   */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<number>;
  /**
   * Returns ids of conversations with blobs, if `put` wasn't called for them and `due` didn't return them within the
   * last `idleSeconds`. At most `limit`, longest idle first. Several sweepers share the work this way, and every
   * conversation is swept in time.
   */
  readonly due: (limit: number, idleSeconds: number) => Promise<readonly string[]>;
  /** Called once. Closes only what the backend opened itself. */
  readonly close: () => Promise<void>;
  /** Default: a retryable `MemoryStorageError` that names the error's class. */
  readonly toMemoryError?: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Stores the bytes of large media for `withBlobs`. Create one with `createInMemoryBlobStore`, with a store's package,
 * or with `defineBlobStore` from a `BlobBackend`, which documents each method.
 *
 * Ids are checked like those of a `MemoryProvider`, and hashes, too; invalid ones are a `MemoryValidationError`.
 * Failures are tagged errors, absence is `null`, and nothing is thrown.
 */
export interface BlobStore {
  /** The backend's name. */
  readonly name: string;
  /** Stores the bytes under their hash, with a hold. */
  readonly put: (
    conversationId: string,
    data: Uint8Array,
    hold: BlobHold,
  ) => Promise<Result<Pick<BlobReference, "sha256" | "size">>>;
  /** Adds a hold to the blobs that exist. Returns their hashes. */
  readonly keep: (
    conversationId: string,
    hashes: readonly string[],
    hold: BlobHold,
  ) => Promise<Result<readonly string[]>>;
  /** Ends this hold on these blobs. Other holds stay. */
  readonly release: (
    conversationId: string,
    hashes: readonly string[],
    holdId: string,
  ) => Promise<Result<void>>;
  /** Returns the bytes, or `null` if there are none. Bytes with a different hash are a `MemoryStorageError`. */
  readonly get: (conversationId: string, sha256: string) => Promise<Result<Uint8Array | null>>;
  /** Lists the conversation's blobs without their bytes. */
  readonly list: (conversationId: string) => Promise<Result<readonly BlobEntry[]>>;
  /** Removes the blobs that haven't changed since the listing. Returns the number of removed blobs. */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<Result<number>>;
  /** Returns conversations that are due for a sweep; see `BlobBackend`. */
  readonly due: (limit: number, idleSeconds: number) => Promise<Result<readonly string[]>>;
  /** Closes what the store opened. Later calls fail with `MemoryConnectionError`. Closing twice succeeds. */
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

/** Returns `undefined` if the value is not a reference: `blob` may be a field of another framework. */
export function parseReference(value: unknown): BlobReference | undefined {
  const parsed = referenceSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** The failure under the name of the called method, like all its errors. */
export const failedIn = (operation: string, { error }: { readonly error: MemoryErrorUnion }) =>
  createFailure({ ...error, operation });
