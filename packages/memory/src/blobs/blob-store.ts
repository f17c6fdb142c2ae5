import * as z from "zod";
import { createFailure, type MemoryErrorUnion, type Result } from "../contract/errors.ts";
import type { BlobReference } from "../contract/message.ts";

/**
 * Keeps a blob from being removed while a message that names it is on its way: until it is released, or until `seconds`
 * have passed by the store's clock, which is what a writer that crashed leaves behind.
 */
export interface BlobHold {
  /** Random, of one write. */
  readonly id: string;
  readonly seconds: number;
}

export interface NewBlob {
  readonly conversationId: string;
  /** Of `data`, hex. */
  readonly sha256: string;
  readonly data: Uint8Array;
}

/** A blob as it was when it was listed. */
export interface BlobEntry {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** Another one after each `put` and `keep`, whoever does it: what `remove` compares. */
  readonly token: string;
  /** Whether it has a hold that is neither released nor expired. */
  readonly held: boolean;
}

export type ListedBlob = Pick<BlobEntry, "sha256" | "token">;

/**
 * The storage port for the bytes of large media: `defineBlobStore` makes a `BlobStore` of it and checks all
 * arguments, so that a backend is only I/O. Methods throw what their driver throws.
 *
 * Every blob belongs to one conversation, and is found by its id and hash alone: the same bytes in two conversations are
 * stored twice, so that a hash reveals nothing about another conversation, and so that each is erased by itself. Conversation
 * ids are compared exactly, as those of a `MemoryProvider`: 1 to 255 UTF-16 units, any characters.
 *
 * The token makes erasure safe while others write. `remove` takes only what is as it was listed: a writer that has put
 * or kept a blob since has given it another token. Such a step is atomic for each blob.
 */
export interface BlobBackend {
  /** The name in errors, e.g. `"postgres"`. */
  readonly name: string;
  /** Stores it, or stores it again; when this resolves it can be read, and has the hold and a new token. */
  readonly put: (blob: NewBlob, hold: BlobHold) => Promise<void>;
  /** Gives those that exist the hold and a new token. Returns the hashes of those. */
  readonly keep: (
    conversationId: string,
    hashes: readonly string[],
    hold: BlobHold,
  ) => Promise<readonly string[]>;
  /** Ends this hold on these blobs. Other holds, and the tokens, stay. */
  readonly release: (conversationId: string, hashes: readonly string[], holdId: string) => Promise<void>;
  /** A copy of the bytes; `null` if there are none. */
  readonly get: (conversationId: string, sha256: string) => Promise<Uint8Array | null>;
  /** Without the bytes. A store that keeps several copies of a blob lists each, with a token of its own. */
  readonly list: (conversationId: string) => Promise<readonly BlobEntry[]>;
  /** Removes those whose token is still the given one, permanently and completely. Returns how many. */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<number>;
  /**
   * Ids of conversations that have blobs, and for which neither `put` was called nor `due` returned the id within the last
   * `idleSeconds`; the longest idle first, at most `limit`. So several sweepers share the work, and every conversation is
   * swept in time.
   */
  readonly due: (limit: number, idleSeconds: number) => Promise<readonly string[]>;
  /** Called once. Closes only what the backend itself opened. */
  readonly close: () => Promise<void>;
  /** Absent: a `MemoryStorageError` that is retryable, and names the error's class. */
  readonly toMemoryError?: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

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

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, {
  error: "expected a SHA-256 of 64 hexadecimal digits in lower case",
});

const referenceSchema = z.strictObject({
  sha256: sha256Schema,
  size: z.int().min(0),
  encoding: z.literal("base64").exactOptional(),
});

/** `undefined` for what is no reference: `blob` may be a field of another framework's. */
export function parseReference(value: unknown): BlobReference | undefined {
  const parsed = referenceSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** As every error of a method, it names the method that was called. */
export const failedIn = (operation: string, { error }: { readonly error: MemoryErrorUnion }) =>
  createFailure({ ...error, operation });
