import type { ConversationMemory, MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/internal";
import { DEFAULT_LEASE_MS } from "../memory-config.ts";
import { type Lease, type LeaseRecord, readMetadata } from "./metadata.ts";

/**
 * The maximum length of a lease: a day. A longer lease that another program wrote into the metadata can't block a conversation
 * forever.
 */
export const LONGEST_LEASE_MS = 86_400_000;

export const leaseFrom = (now: number, leaseMs: number): Required<Lease> => {
  const bounded = Math.min(leaseMs, LONGEST_LEASE_MS);
  return { until: now + bounded, leaseMs: bounded };
};

/** The store's clock can be set back by this time without ending the held leases. */
const TOLERANCE_MS = 5_000;

/**
 * Returns whether a time is in the future, but not too far: then the store's clock was set back, another server took over, or
 * an application wrote the time. `span`: the distance when the time was written. Up to twice that distance is accepted, because
 * the clocks of processes can differ by that much if a store reports no time.
 */
export const isInFuture = (time: number, { now, span }: { readonly now: number; readonly span: number }) =>
  time > now && time - now <= span + Math.max(span, TOLERANCE_MS);

/** Returns whether the lease has neither expired nor been released. `usualMs`: the length if the lease has no `leaseMs`. */
const isHeld = ({ until, leaseMs }: Lease, now: number, usualMs: number): boolean =>
  isInFuture(until, { now, span: Math.min(leaseMs ?? usualMs, LONGEST_LEASE_MS) });

/**
 * Executions of this process that have ended but couldn't release their lease because the store failed. Runs of this process
 * ignore such a lease. Runs of other processes wait until it expires.
 */
const unreleased = new Map<string, number>();

export function markUnreleased(executionId: string, leaseMs: number): void {
  const now = performance.now();
  // Oldest first. Runs don't wait for expired leases anyway.
  for (const [id, end] of unreleased) {
    if (end > now) break;
    unreleased.delete(id);
  }
  unreleased.set(executionId, now + leaseMs);
}

type Stored = Pick<ConversationMemory, "metadata"> | null;

/** Returns the lease that was taken last. */
export const leaseOf = (stored: Stored): LeaseRecord | undefined =>
  stored === null ? undefined : readMetadata(stored).lease;

/** Returns the lease that another execution held when the store was read; `undefined` if the lease is free. */
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

/** Returns the error for a conversation that was erased during the run, even if a new one has the same id. */
export const incarnationConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("incarnation", { operation: "run" });
