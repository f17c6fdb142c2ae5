import type { MemoryErrorUnion } from "../errors.ts";

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
  /** Whether a hold was on it, which was neither released nor over. */
  readonly held: boolean;
}

export type ListedBlob = Pick<BlobEntry, "sha256" | "token">;

/**
 * Where the bytes of large media lie, once everything is checked: `defineBlobStore` makes a `BlobStore` of it, so that a
 * backend holds I/O and nothing else. Methods throw what their driver throws.
 *
 * Every blob belongs to one conversation, and is found by its id and hash alone: the same bytes in two conversations are
 * stored twice, so that nobody learns by a hash what another one has, and so that each is erased by itself. Conversation
 * ids are compared exactly, as those of a `MemoryProvider`: 1 to 255 UTF-16 units, any characters.
 *
 * What makes erasure safe beside writers is the token. `remove` takes only what is as it was listed: a writer that has put
 * or kept a blob since has given it another token. Such a step is atomic for each blob.
 */
export interface BlobBackend {
  /** The name in errors, e.g. `"postgres"`. */
  readonly name: string;
  /** Stores it, or stores it again; when this returns it can be read. Then it has the hold, and a token of its own. */
  readonly put: (blob: NewBlob, hold: BlobHold) => Promise<void>;
  /** Puts the hold, and another token, on those that are there: which of the hashes that are. */
  readonly keep: (
    conversationId: string,
    hashes: readonly string[],
    hold: BlobHold,
  ) => Promise<readonly string[]>;
  /** Ends the hold on these, if it is on them. Other holds, and the tokens, stay. */
  readonly release: (conversationId: string, hashes: readonly string[], holdId: string) => Promise<void>;
  /** The bytes, the reader's own; `null` if they aren't there. */
  readonly get: (conversationId: string, sha256: string) => Promise<Uint8Array | null>;
  /** Without the bytes. A store that keeps several copies of a blob lists each, with a token of its own. */
  readonly list: (conversationId: string) => Promise<readonly BlobEntry[]>;
  /** Removes those whose token is still the one given, for good, and leaves nothing of them; how many these were. */
  readonly remove: (conversationId: string, blobs: readonly ListedBlob[]) => Promise<number>;
  /**
   * The ids of conversations that have blobs, and in which nothing was put, and which nobody was given here, for the last
   * `idleSeconds`: those that have waited longest, at most `limit`. So that several sweepers share the work, and each
   * conversation has its turn.
   */
  readonly due: (limit: number, idleSeconds: number) => Promise<readonly string[]>;
  /** Called once. Closes only what the backend itself opened. */
  readonly close: () => Promise<void>;
  /** Absent: a `MemoryStorageError` that is retryable, and names the error's class. */
  readonly toMemoryError?: (operation: string, thrown: unknown) => MemoryErrorUnion;
}
