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
