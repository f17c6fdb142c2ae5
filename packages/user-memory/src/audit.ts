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
 * What happened to a fact. The less obvious actions:
 * - `"repeated"`: the fact was remembered again, and the stored fact changed.
 * - `"revived"`: a superseded fact became active again.
 * - `"evicted"`: a quotation was deleted to make room for newer quotations. It can be stored again.
 * - `"erased"`: all facts of the user were deleted.
 */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** An entry of a user's audit trail. It contains no text of a fact. */
export interface AuditEntry {
  /** The number of the entry in the user's audit trail: from 1, without gaps. */
  readonly seq: number;
  /** The time of the change. */
  readonly at: Date;
  /** What happened to the fact. */
  readonly action: AuditAction;
  /** The id of the fact. Absent for `"erased"`. */
  readonly factId?: string;
  /**
   * A hash of the stored fact after the change, keyed with `auditKey` if it is set. Absent: the change deleted the
   * fact.
   */
  readonly digest?: string;
  /** The `hash` of the previous entry. In the first entry: 64 zeros. */
  readonly previous: string;
  /** SHA-256 of the other fields of this entry as hex, keyed with the option `auditKey` if it is set. */
  readonly hash: string;
}

/** A difference between a user's audit trail and the stored data. */
export type AuditProblem =
  /** The entry with the number `seq` was changed, or the entry before it is missing. */
  | { readonly kind: "broken-chain"; readonly seq: number }
  /** The newest entries of the audit trail are missing. `seq` is the number that the newest entry should have. */
  | { readonly kind: "cut-off"; readonly seq: number }
  /** The hash of a stored fact isn't the `digest` in the newest audit entry about this fact. */
  | { readonly kind: "changed-fact"; readonly factId: string }
  /** A fact is stored, although according to the audit trail it was deleted or never stored. */
  | { readonly kind: "unknown-fact"; readonly factId: string }
  /** A fact isn't stored, but the audit trail doesn't say that it was deleted. */
  | { readonly kind: "missing-fact"; readonly factId: string };

/** The result of a check of a user's audit trail. */
export interface AuditReport {
  /** `true` if the check found no problems. */
  readonly ok: boolean;
  /** Number of checked entries of the audit trail. */
  readonly entries: number;
  /** Number of checked facts, with any status. */
  readonly facts: number;
  /** The differences between the audit trail and the stored data. */
  readonly problems: readonly AuditProblem[];
}

/** A change that the audit trail records. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly factId?: string;
  /** The fact after the change. Absent: the change deleted the fact. */
  readonly fact?: StoredFact;
}

export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** The end of an empty audit trail. */
export const CHAIN_START: ChainEnd = { seq: 0, hash: "0".repeat(64) };

export interface AuditChain {
  /**
   * Converts events into audit entries with the time `at`, in milliseconds since 1970. Returns the new entries, which
   * follow `end`, and the new end of the trail.
   */
  readonly extend: (
    end: ChainEnd,
    events: readonly AuditEvent[],
    at: number,
  ) => { readonly end: ChainEnd; readonly entries: readonly StoredAuditEntry[] };
  /** Whether the hash of an entry matches the other fields of the entry. */
  readonly isWhole: (entry: AuditEntry) => boolean;
  /** Returns a hash of all fields of a stored fact except `terms`, `vector` and `usedAt`. */
  readonly digestOf: (fact: StoredFact) => string;
}

type Fields = Omit<AuditEntry, "hash">;

/** Opens the audit chain of a user, which makes and checks the hashes of the user's audit entries. */
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

/** Parses a stored audit entry. Returns `undefined` if the body isn't a valid entry with the number `seq`. */
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
  /** Number and hash of the newest audit entry, according to the state in `UserHead`. */
  readonly end: ChainEnd;
  readonly facts: readonly StoredFact[];
}

/** Checks a user's audit trail, and compares the stored facts with the trail. The report lists all problems. */
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
