import type { ConversationMemory, MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/internal";
import { DEFAULT_LEASE_MS } from "../memory-config.ts";
import { type Lease, type LeaseRecord, readMetadata } from "./metadata.ts";

/**
 * The maximum duration of a lease: a day. If another program writes a longer lease into the metadata, the limit ensures that
 * it can't block the conversation forever.
 */
export const LONGEST_LEASE_MS = 86_400_000;

export const leaseFrom = (now: number, leaseMs: number): Required<Lease> => {
  const bounded = Math.min(leaseMs, LONGEST_LEASE_MS);
  return { until: now + bounded, leaseMs: bounded };
};

/** The store's clock can be set back by this much without ending the leases that are held. */
const TOLERANCE_MS = 5_000;

/**
 * Returns whether `time` is in the future, but not too far. A time that is too far away is wrong: the store's clock was
 * set back, another server of the store took over, or an application wrote the time.
 *
 * `span`: how far in the future the time was when it was written, in milliseconds. Times up to twice as far away are
 * accepted: if a store reports no time, each process uses its own clock, and these clocks can differ by `span`.
 */
export const isInFuture = (time: number, { now, span }: { readonly now: number; readonly span: number }) =>
  time > now && time - now <= span + Math.max(span, TOLERANCE_MS);

/**
 * Returns whether the lease has neither expired nor been released. `usualMs`: the assumed duration if the lease has no
 * `leaseMs`.
 */
const isHeld = ({ until, leaseMs }: Lease, now: number, usualMs: number): boolean =>
  isInFuture(until, { now, span: Math.min(leaseMs ?? usualMs, LONGEST_LEASE_MS) });

/**
 * Executions of this process that have ended but couldn't release their lease because the store failed: their ids, each with
 * the time when the lease ends. Runs of this process ignore such a lease. Runs of other processes wait until the lease
 * expires.
 */
const unreleased = new Map<string, number>();

export function markUnreleased(executionId: string, leaseMs: number): void {
  const now = performance.now();
  // The map's oldest entries come first. Expired leases can be forgotten, because runs don't wait for them anyway.
  for (const [id, end] of unreleased) {
    if (end > now) break;
    unreleased.delete(id);
  }
  unreleased.set(executionId, now + leaseMs);
}

type Stored = Pick<ConversationMemory, "metadata"> | null;

/** Returns the lease in the conversation's metadata, i.e. the one that was taken last; `undefined` if there is none. */
export const leaseOf = (stored: Stored): LeaseRecord | undefined =>
  stored === null ? undefined : readMetadata(stored).lease;

/**
 * Returns the lease if another execution held it when the store was read. Returns `undefined` if the lease was free or this
 * execution's own.
 */
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

/** Returns the error for a conversation that was erased during the run, even if a new conversation has the same id. */
export const incarnationConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("incarnation", { operation: "run" });
