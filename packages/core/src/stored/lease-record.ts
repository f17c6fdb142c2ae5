import type { ConversationMemory, MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/internal";
import { DEFAULT_LEASE_MS } from "../memory-config.ts";
import { type Lease, type LeaseRecord, readMetadata } from "./metadata.ts";

/** The maximum duration of a lease, in milliseconds: a day. */
// Another program could write a longer lease into the metadata, which would block the conversation.
export const LONGEST_LEASE_MS = 86_400_000;

export const leaseFrom = (now: number, leaseMs: number): Required<Lease> => {
  const bounded = Math.min(leaseMs, LONGEST_LEASE_MS);
  return { until: now + bounded, leaseMs: bounded };
};

/** By how much the store's clock can be set back without ending held leases, in milliseconds. */
const TOLERANCE_MS = 5_000;

/**
 * Returns whether `time` is in the future, but at most about twice `span` away. `span`: how far away it was when it was
 * written, in milliseconds.
 */
export const isInFuture = (time: number, { now, span }: { readonly now: number; readonly span: number }) =>
  // A time further away is wrong: the store's clock was set back, or an application wrote it. Twice, because the clocks
  // of processes can differ by `span` if the store reports no time.
  time > now && time - now <= span + Math.max(span, TOLERANCE_MS);

/**
 * Returns whether the lease has neither expired nor been released. `usualMs`: the duration of a lease without
 * `leaseMs`, in milliseconds.
 */
const isHeld = ({ until, leaseMs }: Lease, now: number, usualMs: number): boolean =>
  isInFuture(until, { now, span: Math.min(leaseMs ?? usualMs, LONGEST_LEASE_MS) });

/**
 * The executions of this process that have ended without releasing their lease: the end of the lease (by
 * `performance.now()`), by execution id. Runs of this process ignore these leases.
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

/** Returns the last lease in the conversation's metadata; `undefined` if there is none. */
export const leaseOf = (stored: Stored): LeaseRecord | undefined =>
  stored === null ? undefined : readMetadata(stored).lease;

/** Returns the lease if another execution held it when the conversation was loaded; otherwise `undefined`. */
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

/** Returns the error for a conversation that was erased during the run. */
export const incarnationConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("incarnation", { operation: "run" });
