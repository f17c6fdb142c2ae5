import type { ConversationMemory, MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/internal";
import { DEFAULT_LEASE_MS } from "../memory-config.ts";
import { type Lease, readMetadata, type TurnLeaseRecord } from "./metadata.ts";

/** A day. No lease counts for longer, so that one that somebody else wrote into the metadata can't block a conversation for good. */
export const LONGEST_LEASE_MS = 86_400_000;

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
const isHeld = ({ until, leaseMs }: Lease, now: number, usualMs: number): boolean =>
  isInFuture(until, { now, span: Math.min(leaseMs ?? usualMs, LONGEST_LEASE_MS) });

/**
 * Executions of this process that are over but couldn't release their lease, since the store failed. Runs of this process
 * ignore such a lease; those of other processes wait until it expires.
 */
const unreleased = new Map<string, number>();

export function markTurnEnded(executionId: string, leaseMs: number): void {
  const now = performance.now();
  // The oldest come first. A lease that has expired is no longer waited for.
  for (const [id, end] of unreleased) {
    if (end > now) break;
    unreleased.delete(id);
  }
  unreleased.set(executionId, now + leaseMs);
}

type Stored = Pick<ConversationMemory, "metadata"> | null;

/** The lease of the last turn. */
export const turnLeaseOf = (stored: Stored): TurnLeaseRecord | undefined =>
  stored === null ? undefined : readMetadata(stored).lease;

/** The lease of a turn that another execution was in the middle of when the store was read; `undefined`: the turn is free. */
export function turnUnderWay(
  { conversation, time }: { readonly conversation: Stored; readonly time: { readonly readAt: number } },
  executionId: string,
): TurnLeaseRecord | undefined {
  const lease = turnLeaseOf(conversation);
  if (lease === undefined || lease.id === executionId || unreleased.has(lease.id)) return undefined;
  return isHeld(lease, time.readAt, DEFAULT_LEASE_MS) ? lease : undefined;
}

export const turnConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("lease", { operation: "run", retryable: true });

/** The conversation that this run began with was erased, whatever has its id now. */
export const incarnationConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("incarnation", { operation: "run" });
