import type { StoredFact } from "../backend/backend.ts";
import { termsOfFact } from "./indexing.ts";
import type { Plan, PlanScope } from "./plan.ts";
import type { RememberInput } from "./remember-input.ts";
import { standingOf, supersede } from "./supersede.ts";
import { isUsersWord, trustRank } from "./trust.ts";

interface Repeated extends RememberInput {
  readonly contradicts: readonly string[];
  readonly vector: readonly number[] | null;
}

/**
 * The same fact again. It is one fact: what is trusted less, or as much without being the user's word, changes nothing, so
 * that nothing grows by being repeated; the user's word may raise it, or add to it.
 */
export function repeat(scope: PlanScope, same: StoredFact, again: Repeated): Plan<StoredFact> {
  if (!mayAdd(same, again)) return { result: same, change: null };
  const { draft, view, now } = scope;
  const raised = raise(same, again);
  const contradicted = view.facts.filter(
    ({ status, key, id }) =>
      status === "active" &&
      id !== same.id &&
      ((raised.key !== null && key === raised.key) || again.contradicts.includes(id)),
  );
  const found = standingOf({ trust: raised.trust, validFrom: again.validFrom }, contradicted);
  const replaces = found.kind === "placed" ? found.replaces : [];
  if (replaces.length === 0 && isSame(same, raised)) return { result: same, change: null };
  const after = { ...raised, updatedAt: now };
  draft.put(after, same);
  draft.note({ action: same.status === "active" ? "repeated" : "approved", factId: after.id, fact: after });
  supersede(draft, replaces, { ...after, validFrom: again.validFrom });
  return { result: after, change: draft.build(now) };
}

/** Whether the repetition is the user's word, and doesn't ask for less than what is there. */
const mayAdd = (same: StoredFact, again: Repeated): boolean =>
  again.quarantine === null &&
  isUsersWord(again.trust) &&
  (same.status === "quarantined" ||
    !isUsersWord(same.trust) ||
    trustRank(again.trust) >= trustRank(same.trust));

function raise(same: StoredFact, again: Repeated): StoredFact {
  const isRaised = same.status === "quarantined" || trustRank(again.trust) > trustRank(same.trust);
  const tags = [...new Set([...same.tags, ...again.tags])].slice(0, 32);
  const { conversationId, position, messageId, author, extractor, evidence, saidAt } = again;
  const source = { conversationId, position, messageId, author, extractor, evidence, saidAt };
  const raised: StoredFact = {
    ...same,
    ...(isRaised ? { ...source, trust: again.trust, fact: again.fact } : {}),
    tags,
    score: again.score ?? (isRaised ? null : same.score),
    key: again.key ?? same.key,
    status: "active",
    quarantine: null,
    conflictsWith: null,
    validUntil: untilOf(same, again),
    vector: same.vector ?? again.vector,
  };
  return isRaised ? { ...raised, terms: termsOfFact(raised) } : raised;
}

/** Said again, it holds again. */
function untilOf(same: StoredFact, { validUntil, now }: Repeated): number | null {
  if (validUntil !== null) return validUntil > same.validFrom ? validUntil : null;
  return same.validUntil !== null && same.validUntil <= now ? null : same.validUntil;
}

function isSame(before: StoredFact, after: StoredFact): boolean {
  const { tags, ...fields } = after;
  return (
    before.tags.length === tags.length &&
    Object.entries(fields).every(([name, value]) => before[name as keyof StoredFact] === value)
  );
}
