import type { StoredFact } from "../backend.ts";
import { termsOfFact } from "../facts/facts.ts";
import { detailsOf, withParaphrases, writeDetails } from "../facts/quotation.ts";
import { isUsersWord, supersessionOf, trustRank } from "../facts/trust.ts";
import { supersede } from "../transaction/draft.ts";
import type { WriteDecision, WriteScope } from "../transaction/transaction.ts";
import type { RememberInput } from "./remember-input.ts";

interface Repeated extends RememberInput {
  readonly contradicts: readonly string[];
  readonly vector: readonly number[] | null;
}

/** Merges a repeated fact into the stored fact. The result is the fact as it is stored after the merge. */
export function repeat(scope: WriteScope, same: StoredFact, again: Repeated): WriteDecision<StoredFact> {
  // Repetition alone doesn't raise trust: only the user's statement, confirmation or quotation changes the stored fact.
  if (!mayAdd(same, again)) return { result: same, change: null };
  const { draft, snapshot, now, limits } = scope;
  const isQuoted = same.quotation !== null && again.quotation !== null;
  const replacesOthers = !isQuoted && (same.status === "quarantined" || !isUsersWord(same.trust));
  const merged = replacesOthers
    ? replaceOthers(same, again)
    : isQuoted
      ? quotedAgain(same, again, limits.maxTags)
      : mergeUserWord(same, again, limits.maxTags);
  const contradicted = snapshot.facts.filter(
    ({ status, key, id }) =>
      status === "active" &&
      id !== same.id &&
      ((merged.key !== null && key === merged.key) || again.contradicts.includes(id)),
  );
  const found = supersessionOf({ trust: merged.trust, validFrom: again.validFrom }, contradicted);
  const accepted = found.kind === "accepted" ? found : undefined;
  // A later fact with the key exists, so the merged fact isn't current for the key.
  const kept = accepted?.by === undefined ? merged : { ...merged, key: replacesOthers ? null : same.key };
  const replaces = accepted?.by === undefined ? (accepted?.replaces ?? []) : [];
  if (replaces.length === 0 && isSame(same, kept)) return { result: same, change: null };
  const after = { ...kept, updatedAt: now };
  draft.put(same.status === "active" ? "repeated" : "approved", after, same);
  supersede(draft, replaces, { ...after, validFrom: again.validFrom });
  return { result: after, change: draft.build() };
}

/** Whether the repetition of a fact may change the stored fact. Only the user's words change it. */
// A quotation changes no stated or confirmed fact. A confirmation changes no active stated fact.
const mayAdd = (same: StoredFact, again: Repeated): boolean =>
  again.quarantine === null &&
  (again.quotation === null ? isUsersWord(again.trust) : !isUsersWord(same.trust)) &&
  (same.status === "quarantined" ||
    !isUsersWord(same.trust) ||
    trustRank(again.trust) >= trustRank(same.trust));

/**
 * Replaces a stored fact that the user neither stated nor confirmed with the user's statement or quotation. The fact
 * keeps its id and its `seq`.
 */
function replaceOthers(same: StoredFact, again: Repeated): StoredFact {
  const { fact, tags, score, trust, key, validFrom, validUntil } = again;
  const said: StoredFact = {
    ...same,
    ...sourceOf(again),
    ...{ fact, tags, score, trust, key, validFrom, validUntil },
    status: "active",
    quarantine: null,
    conflictsWith: null,
    quotation: again.quotation,
    vector: again.vector ?? same.vector,
  };
  return { ...said, terms: termsOfFact(said) };
}

/** Merges a repeated quotation into the stored quotation. The source is from the later of the two. */
function quotedAgain(same: StoredFact, again: Repeated, maxTags: number): StoredFact {
  const [known, more] = [detailsOf(same), detailsOf(again)];
  const isLater = again.saidAt !== null && (same.saidAt === null || again.saidAt > same.saidAt);
  const quoted: StoredFact = {
    ...same,
    ...(isLater ? { ...sourceOf(again), validFrom: again.validFrom } : {}),
    tags: [...new Set([...same.tags, ...again.tags])].slice(0, maxTags),
    score: same.score === null || again.score === null ? same.score : Math.max(same.score, again.score),
    key: same.key ?? again.key,
    quotation: known === null || more === null ? same.quotation : writeDetails(withParaphrases(known, more)),
    vector: same.vector ?? again.vector,
  };
  const isFoundAsBefore = quoted.quotation === same.quotation && !isLater;
  return isFoundAsBefore ? quoted : { ...quoted, terms: termsOfFact(quoted) };
}

/** Merges a repeated statement of the user into the stored statement. */
function mergeUserWord(same: StoredFact, again: Repeated, maxTags: number): StoredFact {
  const isRaised = trustRank(again.trust) > trustRank(same.trust);
  const merged: StoredFact = {
    ...same,
    ...(isRaised ? { ...sourceOf(again), trust: again.trust, fact: again.fact } : {}),
    tags: [...new Set([...same.tags, ...again.tags])].slice(-maxTags),
    score: again.score ?? same.score,
    key: again.extractor === null ? (again.key ?? same.key) : same.key,
    validUntil: untilOf(same, again),
    vector: same.vector ?? again.vector,
  };
  return isRaised ? { ...merged, terms: termsOfFact(merged) } : merged;
}

function sourceOf(again: Repeated) {
  const { conversationId, position, messageId, author, extractor, evidence, saidAt } = again;
  return { conversationId, position, messageId, author, extractor, evidence, saidAt };
}

/** Returns the time until which a repeated fact is true, or `null` for a fact without an end. */
function untilOf(same: StoredFact, { validUntil, now }: Repeated): number | null {
  // If the stored fact has ended and is repeated without an end, it is true again.
  if (validUntil !== null) return validUntil > same.validFrom ? validUntil : null;
  return same.validUntil !== null && same.validUntil <= now ? null : same.validUntil;
}

function isSame(before: StoredFact, after: StoredFact): boolean {
  const { tags, ...fields } = after;
  return (
    before.tags.length === tags.length &&
    before.tags.every((tag, index) => tag === tags[index]) &&
    Object.entries(fields).every(([name, value]) => before[name as keyof StoredFact] === value)
  );
}
