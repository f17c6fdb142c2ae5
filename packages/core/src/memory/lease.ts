/** A day. Nobody is given more, so that what somebody else wrote into the metadata can't stand for good. */
export const LONGEST_LEASE_MS = 86_400_000;

/** For how long something is somebody's, as it is noted in a conversation. */
export interface Lease {
  /** Milliseconds since 1970, by the store's clock; `0` once it is over. */
  readonly until: number;
  /** How long it was when it was noted. Absent: it is over, or somebody else wrote it. */
  readonly leaseMs?: number | undefined;
}

export const leaseFrom = (now: number, leaseMs: number): Required<Lease> => {
  const bounded = Math.min(leaseMs, LONGEST_LEASE_MS);
  return { until: now + bounded, leaseMs: bounded };
};

/** So far the clock of a store may be set back without ending the turns that are under way. */
const TOLERANCE_MS = 5_000;

/**
 * Whether a time is still to come, and not so far off that it can't be by this clock: the store's may have been set back
 * since, another server have taken over, or an application have written it. `span`: how far off it was when it was noted.
 * Twice as far counts, since clocks may differ by as much where a store tells no time.
 */
export const isAhead = (time: number, { now, span }: { readonly now: number; readonly span: number }) =>
  time > now && time - now <= span + Math.max(span, TOLERANCE_MS);

/** `usualMs`: how long a lease is that doesn't say so. */
export const isHeld = ({ until, leaseMs }: Lease, now: number, usualMs: number): boolean =>
  isAhead(until, { now, span: Math.min(leaseMs ?? usualMs, LONGEST_LEASE_MS) });
