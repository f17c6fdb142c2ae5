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
 * A change of a fact or, with `"erased"`, of all facts. `"evicted"` facts were deleted to make room for newer quotations and
 * can be stored again.
 */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** An entry of a user's audit trail, without text. */
export interface AuditEntry {
  /** Counts from 1 for each user, without gaps. */
  readonly seq: number;
  /** The time of the change. */
  readonly at: Date;
  /** The kind of change. */
  readonly action: AuditAction;
  /** The id of the fact. Absent for `"erased"`. */
  readonly factId?: string;
  /** A keyed hash of the fact after the change. Absent if the fact was deleted. */
  readonly digest?: string;
  /** The hash of the previous entry; 64 zeros in the first. */
  readonly previous: string;
  /** SHA-256 of the fields above as hex, keyed with the store's `auditKey` if it has one. */
  readonly hash: string;
}

/**
 * A difference between a user's audit trail and the stored data. `seq` is the number of the entry with the problem, or the
 * number that the newest entry should have.
 */
export type AuditProblem =
  /** An entry was changed, or an entry before it is missing. */
  | { readonly kind: "broken-chain"; readonly seq: number }
  /** The newest entries are missing. */
  | { readonly kind: "cut-off"; readonly seq: number }
  /** A fact differs from the trail. */
  | { readonly kind: "changed-fact"; readonly factId: string }
  /** A fact exists, but it isn't in the trail or is forgotten there. */
  | { readonly kind: "unknown-fact"; readonly factId: string }
  /** A fact is missing, but it isn't forgotten in the trail. */
  | { readonly kind: "missing-fact"; readonly factId: string };

/** The result of a check of a user's audit trail. */
export interface AuditReport {
  /** Whether there are no problems. */
  readonly ok: boolean;
  /** Number of checked entries. */
  readonly entries: number;
  /** Number of checked facts, of any status. */
  readonly facts: number;
  /** The differences. */
  readonly problems: readonly AuditProblem[];
}

/** A change to record. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly factId?: string;
  /** The fact after the change; absent if it was deleted. */
  readonly fact?: StoredFact;
}

export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** The end of an empty audit trail. */
export const CHAIN_START: ChainEnd = { seq: 0, hash: "0".repeat(64) };

export interface AuditChain {
  /** Returns the entries for events, and the new end of the chain. */
  readonly extend: (
    end: ChainEnd,
    events: readonly AuditEvent[],
    at: number,
  ) => { readonly end: ChainEnd; readonly entries: readonly StoredAuditEntry[] };
  /** Whether the entry's hash matches its fields. */
  readonly isWhole: (entry: AuditEntry) => boolean;
  /** Returns a keyed hash of a stored fact, without terms, vector and `usedAt`. */
  readonly digestOf: (fact: StoredFact) => string;
}

type Fields = Omit<AuditEntry, "hash">;

/** Opens the audit trail of a user. */
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

/** Returns `undefined` if the body isn't a valid entry. */
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
  /** The end of the chain according to the head. */
  readonly end: ChainEnd;
  readonly facts: readonly StoredFact[];
}

/** Checks the hashes of the chain, its end, and the facts. */
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
