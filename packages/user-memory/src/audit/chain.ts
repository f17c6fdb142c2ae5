import { createHash, createHmac } from "node:crypto";
import { present } from "@jaf/memory/adapter";
import * as z from "zod";
import type { StoredAuditEntry, StoredFact, UserKey } from "../backend/backend.ts";
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from "./entry.ts";

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
