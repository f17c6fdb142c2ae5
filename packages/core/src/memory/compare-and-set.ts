import type { ConversationMemory, MemoryErrorUnion, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/engine";
import type { Head } from "./loaded.ts";

/** Somebody else may change the metadata, e.g. a title, this many times while a lease is being written. */
const MAX_ROUNDS = 8;

/** How a lease is written into a conversation's metadata: only in place of the lease that was seen there. */
export interface LeaseWrite {
  /** Writes it, expecting the metadata version that was seen last. */
  readonly write: () => Promise<Result<void>>;
  /** Whether the store compares metadata versions. If it doesn't, the head is read after the write. */
  readonly comparesVersions: () => boolean;
  /** Reads the head of the conversation, which tells the next `write` which metadata version to expect. */
  readonly readHead: () => Promise<Result<Head>>;
  /** After a conflict: whether the lease may still be written, because nobody has written a competing one. */
  readonly mayReplace: (stored: ConversationMemory | null) => boolean;
  /** Whether the stored lease is the one that was written. */
  readonly isStored: (stored: ConversationMemory | null) => boolean;
}

export type LeaseWriteOutcome =
  | { readonly written: true }
  /** A competing lease was written first. With what is stored now. */
  | { readonly written: false; readonly stored: ConversationMemory | null };

/**
 * Writes a lease by compare-and-set. Where the store compares metadata versions, exactly one of several competing writes
 * succeeds. Where it doesn't, the last write wins, as far as the writers can see by reading the head.
 */
export async function writeLease(lease: LeaseWrite): Promise<Result<LeaseWriteOutcome>> {
  let stored: ConversationMemory | null = null;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const written = await lease.write();
    if (written.success && lease.comparesVersions()) return createSuccess({ written: true });
    if (!written.success && !isOutdated(written.error)) return written;
    const head = await lease.readHead();
    if (!head.success) return head;
    stored = head.data.conversation;
    if (written.success && lease.isStored(stored)) return createSuccess({ written: true });
    if (written.success || !lease.mayReplace(stored)) break;
  }
  return createSuccess({ written: false, stored });
}

const isOutdated = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConflictError" && error.reason === "metadata-version";
