import type { StoredFact } from "../backend/backend.ts";
import { mayReplace } from "../facts/trust.ts";
import type { Draft } from "./draft.ts";

/** The outcome for a fact that contradicts others. */
export type Supersession =
  /** It supersedes those that it outranks; if there is a later statement, it is superseded itself, `by` that. */
  | {
      readonly kind: "accepted";
      readonly replaces: readonly StoredFact[];
      readonly by: StoredFact | undefined;
    }
  /** It isn't trusted enough to supersede what the user said. */
  | { readonly kind: "conflict"; readonly with: StoredFact };

/**
 * The later statement counts, by when each holds from, if it is trusted enough. What is said now of an earlier time
 * goes between what held before and what held after.
 */
export function supersessionOf(
  fact: Pick<StoredFact, "trust" | "validFrom">,
  contradicted: readonly StoredFact[],
): Supersession {
  const overlapping = contradicted.filter((other) => holdsAfter(other, fact.validFrom));
  const better = overlapping.find(({ trust }) => !mayReplace(fact.trust, trust));
  if (better !== undefined) return { kind: "conflict", with: better };
  const isLater = ({ trust, validFrom }: StoredFact): boolean =>
    validFrom > fact.validFrom && mayReplace(trust, fact.trust);
  const [by] = contradicted.filter(isLater).sort((a, b) => a.validFrom - b.validFrom);
  const replaces = overlapping.filter(
    (other) => !isLater(other) && (other.validFrom <= fact.validFrom || other.supersededAt === null),
  );
  return { kind: "accepted", replaces, by };
}

/** Whether it hadn't ended by then. */
const holdsAfter = ({ supersededAt, validUntil }: StoredFact, time: number): boolean =>
  (supersededAt === null || supersededAt > time) && (validUntil === null || validUntil > time);

/** Marks facts as superseded, as of when the newer one holds. */
export function supersede(draft: Draft, replaced: readonly StoredFact[], by: StoredFact): void {
  for (const fact of replaced) {
    const after: StoredFact = {
      ...fact,
      status: "superseded",
      supersededBy: by.id,
      supersededAt: Math.max(fact.validFrom, by.validFrom),
    };
    draft.put(after, fact);
    draft.audit({ action: "superseded", factId: fact.id, fact: after });
  }
}
