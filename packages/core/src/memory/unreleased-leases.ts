/**
 * Executions of this process that are over but couldn't release their lease, since the store failed. Runs of this process
 * ignore such a lease; those of other processes wait until it expires.
 */
const leaseEnds = new Map<string, number>();

export function markTurnEnded(executionId: string, leaseMs: number): void {
  const now = performance.now();
  // The oldest come first. A lease that has expired is no longer waited for.
  for (const [id, end] of leaseEnds) {
    if (end > now) break;
    leaseEnds.delete(id);
  }
  leaseEnds.set(executionId, now + leaseMs);
}

export const hasTurnEnded = (executionId: string): boolean => leaseEnds.has(executionId);
