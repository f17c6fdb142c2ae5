export const AUDIT_ACTIONS = [
  "remembered",
  "repeated",
  "changed",
  "superseded",
  "revived",
  "quarantined",
  "approved",
  "rejected",
  "forgotten",
  "evicted",
  "erased",
] as const;

/**
 * What was done to a fact, or, with `"erased"`, to all of them. `"evicted"`: deleted to make room for newer quotations; it may be
 * learned again.
 */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * A link of a user's audit trail. It holds no text: `digest` is a keyed hash of the fact as it was left, absent where the
 * fact is gone.
 */
export interface AuditEntry {
  /** Counts from 1 for each user, without gaps. */
  readonly seq: number;
  readonly at: Date;
  readonly action: AuditAction;
  readonly factId?: string;
  readonly digest?: string;
  /** The hash of the entry before; of the first, 64 zeros. */
  readonly previous: string;
  /** SHA-256 of everything above, keyed with the store's `auditKey` where it has one; hex. */
  readonly hash: string;
}

export type AuditProblem =
  /** An entry isn't what was written, or one is missing before it. */
  | { readonly kind: "broken-chain"; readonly seq: number }
  /** The newest entries are missing. */
  | { readonly kind: "cut-off"; readonly seq: number }
  /** A fact isn't as the trail left it. */
  | { readonly kind: "changed-fact"; readonly factId: string }
  /** A fact is there that the trail doesn't know, or knows as forgotten. */
  | { readonly kind: "unknown-fact"; readonly factId: string }
  /** A fact is gone that the trail doesn't know as forgotten. */
  | { readonly kind: "missing-fact"; readonly factId: string };

export interface AuditReport {
  readonly ok: boolean;
  readonly entries: number;
  readonly facts: number;
  readonly problems: readonly AuditProblem[];
}
