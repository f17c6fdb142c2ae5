import type { StoredFact } from "../backend/backend.ts";
import type { Digests } from "./digests.ts";
import type { Draft } from "./draft.ts";
import { byId, type Write } from "./plan.ts";
import { tombstonesFor } from "./tombstones.ts";

/** What went with a fact; zeros if there was none. */
export interface Forgotten {
  readonly facts: number;
  readonly vectors: number;
  readonly revived: number;
}

interface ForgetOptions {
  readonly factId: string;
  readonly digests: Digests;
  /** Only if it waits for review. */
  readonly rejects: boolean;
}

export function forgetWrite({ factId, digests, rejects }: ForgetOptions): Write<Forgotten> {
  return {
    operation: rejects ? "review.reject" : "forget",
    selection: { ids: [factId], supersededBy: [factId] },
    plan: ({ view, draft, now }) => {
      const fact = byId(view, factId);
      if (fact === undefined || (rejects && fact.status !== "quarantined")) {
        return { result: { facts: 0, vectors: 0, revived: 0 }, change: null };
      }
      draft.drop(fact);
      draft.bury(tombstonesFor(fact, digests, now));
      draft.note({ action: rejects ? "rejected" : "forgotten", factId });
      const before = view.facts.filter(({ supersededBy }) => supersededBy === factId);
      const revived = relink(draft, before, fact);
      return {
        result: { facts: 1, vectors: fact.vector === null ? 0 : 1, revived },
        change: draft.build(now),
      };
    },
  };
}

/** Gives what a fact had taken the place of to the fact that took its own, or makes it count again. */
function relink(draft: Draft, facts: readonly StoredFact[], gone: StoredFact): number {
  const { supersededBy, supersededAt } = gone;
  for (const fact of facts) {
    const after: StoredFact =
      supersededBy === null
        ? { ...fact, status: "active", supersededBy: null, supersededAt: null }
        : { ...fact, supersededBy, supersededAt };
    draft.put(after, fact);
    draft.note({
      action: supersededBy === null ? "revived" : "superseded",
      factId: fact.id,
      fact: after,
    });
  }
  return supersededBy === null ? facts.length : 0;
}
