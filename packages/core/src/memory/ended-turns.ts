/**
 * Executions of this process that are over and could not give their turn back, since the store failed. Their notes say
 * that they live, until the lease ends; whoever meets one in this process knows better and need not wait. Other
 * processes do.
 */
const leaseEnds = new Map<string, number>();

export function noteTurnEnded(executionId: string, leaseMs: number): void {
  const now = performance.now();
  // The oldest come first; nobody waits for a lease that is over.
  for (const [id, end] of leaseEnds) {
    if (end > now) break;
    leaseEnds.delete(id);
  }
  leaseEnds.set(executionId, now + leaseMs);
}

export const hasTurnEnded = (executionId: string): boolean => leaseEnds.has(executionId);
