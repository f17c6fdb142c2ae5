import type { ConversationMemory, MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/engine";
import { DEFAULT_TURN_LEASE_MS } from "./config.ts";
import { isHeld } from "./lease.ts";
import type { Head } from "./load.ts";
import { readMetadata, type TurnLeaseRecord } from "./metadata.ts";

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

/** The lease of the last turn. */
export const turnLeaseOf = (
  stored: Pick<ConversationMemory, "metadata"> | null,
): TurnLeaseRecord | undefined => (stored === null ? undefined : readMetadata(stored).turn);

/** The lease of a turn that another execution was in the middle of when the store was read; `undefined`: the turn is free. */
export function turnUnderWay(
  { conversation, time }: Pick<Head, "conversation" | "time">,
  executionId: string,
): TurnLeaseRecord | undefined {
  const lease = turnLeaseOf(conversation);
  if (lease === undefined || lease.id === executionId || unreleased.has(lease.id)) return undefined;
  return isHeld(lease, time.readAt, DEFAULT_TURN_LEASE_MS) ? lease : undefined;
}

export const turnConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("turn", { operation: "run", retryable: true });

/** The conversation that this run began with was erased, whatever has its id now. */
export const incarnationConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("incarnation", { operation: "run" });
