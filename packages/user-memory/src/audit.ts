import { createHash, createHmac } from "node:crypto";
import { present } from "@jaf/memory/adapter";
import * as z from "zod";
import type { StoredAuditEntry, StoredFact, UserKey } from "./backend.ts";

const AUDIT_ACTIONS = [
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

/** What is to be recorded. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly factId?: string;
  /** The fact as it is left; absent where it is gone. */
  readonly fact?: StoredFact;
}

export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** Where the audit trail of a user ends of whom nothing was recorded. */
export const CHAIN_START: ChainEnd = { seq: 0, hash: "0".repeat(64) };

export interface AuditChain {
  /** The links for some events, and where the chain ends then. */
  readonly extend: (
    end: ChainEnd,
    events: readonly AuditEvent[],
    at: number,
  ) => { readonly end: ChainEnd; readonly entries: readonly StoredAuditEntry[] };
  /** Whether the entry's hash is that of its fields. */
  readonly isWhole: (entry: AuditEntry) => boolean;
  /** A keyed hash of everything that is stored of a fact, but for what is derived from it and when it was used. */
  readonly digestOf: (fact: StoredFact) => string;
}

type Fields = Omit<AuditEntry, "hash">;

/** The audit trails of a store, each of one user. */
export type Audit = (user: UserKey) => AuditChain;

export const openAudit =
  (auditKey: string | undefined): Audit =>
  ({ hash }) =>
    openChain(hash, auditKey);

function openChain(salt: string, auditKey: string | undefined): AuditChain {
  const hash = (text: string): string =>
    (auditKey === undefined ? createHash("sha256") : createHmac("sha256", auditKey))
      .update(text, "utf8")
      .digest("hex");
  const hashOf = ({ seq, at, action, factId, digest, previous }: Fields): string =>
    hash(JSON.stringify([seq, at.getTime(), action, factId ?? null, digest ?? null, previous]));
  const digestOf = (fact: StoredFact): string => {
    const { terms: _terms, vector: _vector, usedAt: _usedAt, ...kept } = fact;
    return hash(`${salt}\0${JSON.stringify(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)))}`);
  };
  return {
    digestOf,
    isWhole: ({ hash: stored, ...fields }) => hashOf(fields) === stored,
    extend: (start, events, at) => {
      let end = start;
      const entries = events.map(({ action, factId, fact }) => {
        const fields: Fields = {
          seq: end.seq + 1,
          at: new Date(at),
          action,
          ...present({ factId }),
          ...(fact === undefined ? {} : { digest: digestOf(fact) }),
          previous: end.hash,
        };
        const entry: AuditEntry = { ...fields, hash: hashOf(fields) };
        end = { seq: entry.seq, hash: entry.hash };
        return { seq: entry.seq, body: JSON.stringify({ ...entry, at }) };
      });
      return { end, entries };
    },
  };
}

const entrySchema = z.object({
  seq: z.int(),
  at: z.number().transform((at) => new Date(at)),
  action: z.enum(AUDIT_ACTIONS),
  factId: z.string().optional(),
  digest: z.string().optional(),
  previous: z.string(),
  hash: z.string(),
});

/** `undefined` for what isn't an entry as this package writes it. */
export function parseAuditEntry({ seq, body }: StoredAuditEntry): AuditEntry | undefined {
  try {
    const parsed = entrySchema.safeParse(JSON.parse(body));
    return parsed.success && parsed.data.seq === seq ? (parsed.data as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}

export interface Trail {
  readonly entries: readonly StoredAuditEntry[];
  /** Where the head says that the chain ends. */
  readonly end: ChainEnd;
  readonly facts: readonly StoredFact[];
}

/** Compares the chain with itself, with its end, and with the facts. */
export function verifyTrail(chain: AuditChain, { entries, end, facts }: Trail): AuditReport {
  const problems: AuditProblem[] = [];
  const left = new Map<string, AuditEntry>();
  let last = CHAIN_START;
  for (const stored of entries) {
    const entry = parseAuditEntry(stored);
    const follows = entry?.seq === last.seq + 1 && entry.previous === last.hash && chain.isWhole(entry);
    if (!follows) problems.push({ kind: "broken-chain", seq: stored.seq });
    if (entry?.factId !== undefined) left.set(entry.factId, entry);
    last = { seq: stored.seq, hash: entry?.hash ?? "" };
  }
  if (last.seq !== end.seq || (last.hash !== end.hash && problems.length === 0)) {
    problems.push({ kind: "cut-off", seq: end.seq });
  }
  for (const fact of facts) {
    const digest = left.get(fact.id)?.digest;
    if (digest === undefined) problems.push({ kind: "unknown-fact", factId: fact.id });
    else if (digest !== chain.digestOf(fact)) problems.push({ kind: "changed-fact", factId: fact.id });
  }
  const there = new Set(facts.map(({ id }) => id));
  for (const [factId, { digest }] of left) {
    if (digest !== undefined && !there.has(factId)) problems.push({ kind: "missing-fact", factId });
  }
  return { ok: problems.length === 0, entries: entries.length, facts: facts.length, problems };
}
