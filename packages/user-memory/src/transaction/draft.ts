import type { AuditAction, AuditChain, AuditEvent } from "../audit.ts";
import type { StoredFact, Tombstone, UserChange, UserHead } from "../backend.ts";
import { isUsersWord } from "../facts/trust.ts";
import { type HeadState, writeState } from "./head-state.ts";

/**
 * Collects the changes of one write. `build` returns them as one `UserChange`, with the new counts of facts in its
 * head.
 */
export interface Draft {
  /**
   * Adds the fact `after`, or replaces the fact `before` with it. With the action `null`, the audit trail gets no
   * entry.
   */
  readonly put: (action: AuditAction | null, after: StoredFact, before?: StoredFact) => void;
  /** Returns the fact as it is after the changes in this draft. */
  readonly current: (fact: StoredFact) => StoredFact;
  readonly drop: (action: AuditAction, fact: StoredFact) => void;
  readonly addTombstones: (tombstones: readonly Tombstone[]) => void;
  readonly removeTombstones: (digests: readonly string[]) => void;
  /** Sets the state's `extracted`: how many facts were inferred from each source. */
  readonly setExtracted: (extracted: HeadState["extracted"]) => void;
  readonly build: () => UserChange;
}

interface DraftBase {
  readonly head: UserHead | null;
  readonly state: HeadState;
  readonly chain: AuditChain;
  readonly now: number;
}

export function openDraft({ head, state, chain, now }: DraftBase): Draft {
  const put = new Map<string, { readonly before: StoredFact | null; readonly after: StoredFact }>();
  const drop: StoredFact[] = [];
  const tombstones: Tombstone[] = [];
  const removedTombstones: string[] = [];
  const events: AuditEvent[] = [];
  let extracted = state.extracted;
  return {
    put: (action, after, before) => {
      if (action !== null) events.push({ action, factId: after.id, fact: after });
      const earlier = put.get(after.id);
      put.set(after.id, { before: earlier === undefined ? (before ?? null) : earlier.before, after });
    },
    current: (fact) => put.get(fact.id)?.after ?? fact,
    drop: (action, fact) => {
      events.push({ action, factId: fact.id });
      drop.push(fact);
    },
    addTombstones: (more) => void tombstones.push(...more),
    removeTombstones: (digests) => void removedTombstones.push(...digests),
    setExtracted: (next) => {
      extracted = next;
    },
    build: () => {
      const changes = [...put.values()];
      const gone = [...drop, ...changes.flatMap(({ before }) => before ?? [])];
      const come = changes.map(({ after }) => after);
      const counted = (count: number, counts: (fact: StoredFact) => boolean): number =>
        Math.max(0, count - gone.filter(counts).length + come.filter(counts).length);
      const { end, entries } = chain.extend(state.audit, events, now);
      const next: HeadState = {
        ...state,
        facts: counted(state.facts, () => true),
        untrusted: counted(state.untrusted, isUntrusted),
        quarantined: counted(state.quarantined, isQuarantined),
        quotations: counted(state.quotations, isQuotation),
        audit: end,
        extracted,
      };
      const { version = 0, epoch = 0 } = head ?? {};
      return {
        expectedVersion: version,
        head: { version: version + 1, epoch, state: writeState(next) },
        put: changes,
        drop,
        tombstones,
        removedTombstones,
        audit: entries,
      };
    },
  };
}

/** Marks facts as superseded by a newer fact, from the newer fact's `validFrom` on. */
export function supersede(draft: Draft, replaced: readonly StoredFact[], by: StoredFact): void {
  for (const fact of replaced) {
    const after: StoredFact = {
      ...fact,
      status: "superseded",
      supersededBy: by.id,
      supersededAt: Math.max(fact.validFrom, by.validFrom),
    };
    draft.put("superseded", after, fact);
  }
}

const isQuarantined = ({ status }: StoredFact): boolean => status === "quarantined";
const isQuotation = ({ quotation }: StoredFact): boolean => quotation !== null;
const isUntrusted = ({ status, trust, quotation }: StoredFact): boolean =>
  status !== "quarantined" && quotation === null && !isUsersWord(trust);
