import type { ConversationMemory, MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/internal";
import { DEFAULT_LEASE_MS } from "../memory-config.ts";
import { type Lease, type LeaseRecord, readMetadata } from "./metadata.ts";

/** A day. No lease counts for longer, so that one that somebody else wrote into the metadata can't block a conversation for good. */
export const LONGEST_LEASE_MS = 86_400_000;

export const leaseFrom = (now: number, leaseMs: number): Required<Lease> => {
  const bounded = Math.min(leaseMs, LONGEST_LEASE_MS);
  return { until: now + bounded, leaseMs: bounded };
};

/** The store's clock may be set back by this much without ending the leases that are held. */
const TOLERANCE_MS = 5_000;

/**
 * Whether a time is still to come. One that is too far ahead doesn't count: the store's clock was set back, another server took
 * over, or an application wrote the time. `span`: how far ahead it was when it was written. Up to twice as far counts, since the
 * clocks of processes may differ by as much where a store tells no time.
 */
export const isInFuture = (time: number, { now, span }: { readonly now: number; readonly span: number }) =>
  time > now && time - now <= span + Math.max(span, TOLERANCE_MS);

/** Whether the lease has neither expired nor been released. `usualMs`: the length of a lease that doesn't tell it. */
const isHeld = ({ until, leaseMs }: Lease, now: number, usualMs: number): boolean =>
  isInFuture(until, { now, span: Math.min(leaseMs ?? usualMs, LONGEST_LEASE_MS) });

/**
 * Executions of this process that are over but couldn't release their lease, since the store failed. Runs of this process
 * ignore such a lease; those of other processes wait until it expires.
 */
const unreleased = new Map<string, number>();

export function markUnreleased(executionId: string, leaseMs: number): void {
  const now = performance.now();
  // The oldest come first. A lease that has expired is no longer waited for.
  for (const [id, end] of unreleased) {
    if (end > now) break;
    unreleased.delete(id);
  }
  unreleased.set(executionId, now + leaseMs);
}

type Stored = Pick<ConversationMemory, "metadata"> | null;

/** The lease that was taken last. */
export const leaseOf = (stored: Stored): LeaseRecord | undefined =>
  stored === null ? undefined : readMetadata(stored).lease;

/** The lease that another execution held when the store was read; `undefined`: the lease is free. */
export function leaseOfAnother(
  { conversation, time }: { readonly conversation: Stored; readonly time: { readonly readAt: number } },
  executionId: string,
): LeaseRecord | undefined {
  const lease = leaseOf(conversation);
  if (lease === undefined || lease.id === executionId || unreleased.has(lease.id)) return undefined;
  return isHeld(lease, time.readAt, DEFAULT_LEASE_MS) ? lease : undefined;
}

export const leaseConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("lease", { operation: "run", retryable: true });

/** The conversation that this run began with was erased, whatever has its id now. */
export const incarnationConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("incarnation", { operation: "run" });
