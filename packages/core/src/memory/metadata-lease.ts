import type { ConversationMemory, MemoryErrorUnion, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/engine";
import type { Head } from "./loaded.ts";

/** A day. No lease counts for longer, so that one that somebody else wrote into the metadata can't block a conversation for good. */
export const LONGEST_LEASE_MS = 86_400_000;

/** A time limit in a conversation's metadata, within which something belongs to one run. */
export interface Lease {
  /** Milliseconds since 1970, by the store's clock; `0` once it is released. */
  readonly until: number;
  /** Its length when it was written. Absent: it is released, or somebody else wrote it. */
  readonly leaseMs?: number | undefined;
}

export const leaseFrom = (now: number, leaseMs: number): Required<Lease> => {
  const bounded = Math.min(leaseMs, LONGEST_LEASE_MS);
  return { until: now + bounded, leaseMs: bounded };
};

/** The store's clock may be set back by this much without ending the turns that are under way. */
const TOLERANCE_MS = 5_000;

/**
 * Whether a time is still to come. One that is too far ahead doesn't count: the store's clock was set back, another server took
 * over, or an application wrote the time. `span`: how far ahead it was when it was written. Up to twice as far counts, since the
 * clocks of processes may differ by as much where a store tells no time.
 */
export const isInFuture = (time: number, { now, span }: { readonly now: number; readonly span: number }) =>
  time > now && time - now <= span + Math.max(span, TOLERANCE_MS);

/** Whether the lease has neither expired nor been released. `usualMs`: the length of a lease that doesn't tell it. */
export const isHeld = ({ until, leaseMs }: Lease, now: number, usualMs: number): boolean =>
  isInFuture(until, { now, span: Math.min(leaseMs ?? usualMs, LONGEST_LEASE_MS) });

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
