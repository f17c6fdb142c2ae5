import { randomUUID } from "node:crypto";
import type { StoredFact, UserKey } from "../backend.ts";
import { termsOfFact } from "../facts/facts.ts";
import { detailsOf, writeDetails } from "../facts/quotation.ts";
import { type Digests, tombstonesFor } from "../facts/tombstones.ts";
import { mayReplace } from "../facts/trust.ts";
import type { MessageLocation } from "../ranker/index.ts";
import type { ForgetDetails, ForgetReceipt } from "../store.ts";
import type { Draft } from "../transaction/draft.ts";
import { erasedState, writeState } from "../transaction/head-state.ts";
import { digestsFor, findFact, type StoreScope, type Write } from "../transaction/transaction.ts";

/** Deletes a fact of the user. A fact of another user is treated like a fact that doesn't exist. */
export async function forget(scope: StoreScope, user: UserKey, factId: unknown): Promise<ForgetReceipt> {
  return receipt({ ...(await remove(scope, user, { factId, rejects: false })), jobs: 0 });
}

interface Removal {
  readonly factId: unknown;
  /** If `true`, the fact is only removed if it waits for review. */
  readonly rejects: boolean;
}

/**
 * Removes a fact, and all facts of the user with its `digest` (hash of the text). Removes nothing if the user has no
 * such fact, or if `rejects` is `true` and the fact doesn't wait for review.
 */
export async function remove(
  scope: StoreScope,
  user: UserKey,
  { factId, rejects }: Removal,
): Promise<Forgotten> {
  const operation = rejects ? "review.reject" : "forget";
  const { backend, callBackend, run } = scope.transactions;
  const fact = await findFact(scope, { user, operation, factId });
  if (fact === null || (rejects && fact.status !== "quarantined")) return NOTHING;
  const { digest } = fact;
  const { facts } = await callBackend(operation, () =>
    backend.read(user, { digests: [digest], supersededBy: [fact.id], brief: true }),
  );
  const same = facts.filter((other) => other.digest === digest).map(({ id }) => id);
  const ids = [...new Set([fact.id, ...same])];
  const keys = [...new Set(facts.flatMap(({ key }) => key ?? []))];
  const locations = facts.flatMap(({ id, conversationId, position }) =>
    ids.includes(id) && conversationId !== null && position !== null ? [{ conversationId, position }] : [],
  );
  const digests = digestsFor(scope, user);
  const as = rejects ? "rejected" : "forgotten";
  return run(user, ({ write }) => write(forgetWrite({ ids, keys, locations, digests, as })));
}

export async function forgetAll({ transactions, audit }: StoreScope, user: UserKey): Promise<ForgetReceipt> {
  transactions.interrupt(user);
  const at = Date.now();
  const state = erasedState(at);
  const { end, entries } = audit(user).extend(state.audit, [{ action: "erased" }], at);
  const erasure = { state: writeState({ ...state, audit: end }), audit: entries };
  const gone = await transactions.callBackend("forgetAll", () => transactions.backend.erase(user, erasure));
  return receipt({ ...gone, revived: 0 });
}

const receipt = (gone: Omit<ForgetDetails, "receiptId" | "at">): ForgetReceipt =>
  Object.freeze({ receiptId: randomUUID(), at: new Date(), ...gone }) as ForgetReceipt;

/** How many facts and vectors were removed, and how many superseded facts became active again. */
export interface Forgotten {
  readonly facts: number;
  readonly vectors: number;
  readonly revived: number;
}

const NOTHING: Forgotten = { facts: 0, vectors: 0, revived: 0 };

interface ForgetOptions {
  /** Ids of the facts to remove. */
  readonly ids: readonly string[];
  /** The keys (topics) of the facts to remove, and of the facts that they superseded. */
  readonly keys: readonly string[];
  /** The messages that the removed facts were extracted from, as far as they are known. */
  readonly locations: readonly MessageLocation[];
  readonly digests: Digests;
  /**
   * Why the facts are removed. Default `"forgotten"`.
   * - `"rejected"`: a review rejected the facts. Facts that don't wait for review aren't removed.
   * - `"evicted"`: the facts are old quotations that make room for new ones. No tombstones are left.
   */
  readonly as?: "forgotten" | "rejected" | "evicted";
}

export function forgetWrite(options: ForgetOptions): Write<Forgotten> {
  const { ids, keys, locations, digests, as: action = "forgotten" } = options;
  const rejects = action === "rejected";
  return {
    operation: { forgotten: "forget", rejected: "review.reject", evicted: "remember" }[action],
    selection: { ids, keys, locations, supersededBy: ids },
    decide: ({ snapshot, draft, now }) => {
      const gone = snapshot.facts.filter(
        ({ id, status }) => ids.includes(id) && (!rejects || status === "quarantined"),
      );
      if (gone.length === 0) return { result: NOTHING, change: null };
      for (const fact of gone) {
        draft.drop(action, fact);
        if (action !== "evicted") draft.addTombstones(tombstonesFor(fact, { digests, at: now, rejects }));
      }
      const goneIds = new Set(gone.map(({ id }) => id));
      const revived = relink(draft, snapshot.facts, goneIds);
      if (action !== "evicted")
        for (const fact of gone) removeEvidence(draft, snapshot.facts, { fact, gone: goneIds });
      const vectors = gone.filter(({ vector }) => vector !== null).length;
      return { result: { facts: gone.length, vectors, revived }, change: draft.build() };
    },
  };
}

interface EvidenceRemoval {
  readonly fact: StoredFact;
  readonly gone: ReadonlySet<string>;
}

const hasParaphrases = (fact: StoredFact): boolean => (detailsOf(fact)?.paraphrases ?? []).length > 0;

/**
 * Removes evidence and paraphrases from other facts of the same message, because they can contain the forgotten fact.
 */
function removeEvidence(draft: Draft, facts: readonly StoredFact[], { fact, gone }: EvidenceRemoval): void {
  const { conversationId, position } = fact;
  if (conversationId === null || position === null) return;
  const quoting = facts.filter(
    (other) =>
      !gone.has(other.id) &&
      other.conversationId === conversationId &&
      other.position === position &&
      (other.evidence !== null || hasParaphrases(other)),
  );
  for (const other of quoting) {
    const current = draft.current(other);
    const details = detailsOf(current);
    const quotation = details && writeDetails({ ...details, paraphrases: [] });
    const redacted = { ...current, evidence: null, quotation };
    const after = other.status === "quarantined" ? redacted : { ...redacted, terms: termsOfFact(redacted) };
    draft.put("changed", after, other);
  }
}

/** Updates the older facts that a removed fact superseded. Returns how many of the older facts became active. */
function relink(draft: Draft, facts: readonly StoredFact[], gone: ReadonlySet<string>): number {
  // An older fact becomes active, unless another fact supersedes it now.
  const left = facts.filter(({ id, supersededBy }) => !gone.has(id) && gone.has(supersededBy ?? ""));
  let revived = 0;
  for (const fact of left) {
    const next = nextOf(fact, facts, gone);
    const after: StoredFact =
      next === undefined
        ? { ...fact, status: "active", supersededBy: null, supersededAt: null }
        : { ...fact, ...next };
    draft.put(next === undefined ? "revived" : "superseded", after, fact);
    revived += next === undefined ? 1 : 0;
  }
  return revived;
}

type Next = Pick<StoredFact, "supersededBy" | "supersededAt">;

/** Returns the fact that supersedes `fact` after the facts in `gone` are removed, or `undefined` if there is none. */
function nextOf(fact: StoredFact, facts: readonly StoredFact[], gone: ReadonlySet<string>): Next | undefined {
  // Follows the chain of facts that superseded each other to the first one that isn't removed. If all are removed,
  // takes the next later fact with the same key.
  let next: StoredFact | undefined = fact;
  while (next !== undefined && gone.has(next.supersededBy ?? "")) {
    const by: string | null = next.supersededBy;
    next = facts.find(({ id }) => id === by);
  }
  if (next !== undefined && next.supersededBy !== null) {
    return { supersededBy: next.supersededBy, supersededAt: next.supersededAt };
  }
  const [later] = facts
    .filter((other) => !gone.has(other.id) && isLaterOfKey(other, fact))
    .sort((a, b) => a.validFrom - b.validFrom || a.seq - b.seq);
  return later && { supersededBy: later.id, supersededAt: later.validFrom };
}

const isLaterOfKey = (other: StoredFact, fact: StoredFact): boolean =>
  fact.key !== null &&
  other.key === fact.key &&
  other.status !== "quarantined" &&
  (other.validFrom > fact.validFrom || (other.validFrom === fact.validFrom && other.seq > fact.seq)) &&
  mayReplace(other.trust, fact.trust);
