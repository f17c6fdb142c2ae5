import { present } from "@jaf/memory/adapter";
import type { StoredFact, TermWeight, UserKey } from "../backend.ts";
import type { Provenance, UserFact } from "../fact.ts";
import { termsOf } from "../ranker/index.ts";
import { detailsOf, toQuotation } from "./quotation.ts";

export const toUserFactOrNull = (user: UserKey, stored: StoredFact | null | undefined): UserFact | null =>
  stored ? toUserFact(user, stored) : null;

/**
 * Converts a `StoredFact` of the backend into the frozen `UserFact` that callers get. Leaves out fields with the value
 * `null`.
 */
export function toUserFact({ userId }: UserKey, stored: StoredFact): UserFact {
  const { id, fact, tags, score, trust, status, quarantine, key } = stored;
  const quotation = toQuotation(stored);
  const { updatedAt, validUntil, supersededBy, supersededAt, conflictsWith } = stored;
  return Object.freeze({
    ...{ id, userId, fact, trust, status },
    ...(tags.length === 0 ? {} : { tags: Object.freeze([...tags]) }),
    ...(score === null ? {} : { score }),
    createdAt: new Date(stored.createdAt),
    ...(updatedAt === null ? {} : { updatedAt: new Date(updatedAt) }),
    provenance: Object.freeze(provenanceOf(stored)),
    ...(key === null ? {} : { key }),
    validFrom: new Date(stored.validFrom),
    ...(validUntil === null ? {} : { validUntil: new Date(validUntil) }),
    ...(supersededBy === null ? {} : { supersededBy }),
    ...(supersededAt === null ? {} : { supersededAt: new Date(supersededAt) }),
    ...present({ conflictsWith: conflictsWith ?? undefined, quarantine: quarantine ?? undefined, quotation }),
  });
}

function provenanceOf(stored: StoredFact): Provenance {
  const { conversationId, position, messageId, author, extractor, saidAt } = stored;
  const evidence = stored.quotation === null ? stored.evidence : stored.fact;
  return {
    ...present({
      conversationId: conversationId ?? undefined,
      position: position ?? undefined,
      messageId: messageId ?? undefined,
      author: author ?? undefined,
      extractor: extractor ?? undefined,
      evidence: evidence ?? undefined,
    }),
    ...(saidAt === null ? {} : { saidAt: new Date(saidAt) }),
  };
}

/** Whether a value has the form of a fact's id. */
export const isFactId = (factId: unknown): factId is string =>
  typeof factId === "string" && /^[0-9a-f-]{36}$/.test(factId);

type Indexed = Pick<StoredFact, "fact" | "evidence" | "saidAt" | "quotation">;

/**
 * Returns the index terms of a fact's text and evidence. For a quotation, adds those of its question and paraphrases.
 */
export function termsOfFact({ fact, evidence, saidAt, quotation }: Indexed): readonly TermWeight[] {
  const { question = null, paraphrases = [] } = detailsOf({ quotation }) ?? {};
  const texts = [fact, evidence === fact ? null : evidence, question, ...paraphrases];
  const text = texts.filter((one) => one !== null).join("\n");
  return termsOf(text, saidAt === null ? {} : { saidAt });
}

/** Returns the stems of the words in the text of a fact. */
export const ownContent = ({ fact }: Pick<StoredFact, "fact">): ReadonlySet<string> =>
  contentOf(termsOf(fact));

/** The stems of the English words "user" and "users". */
// They don't distinguish facts, because every fact is about the user.
const SUBJECT = new Set(termsOf("the user's users").map(({ term }) => term));

/** Returns the word stems in a list of index terms. Leaves out dates and the stem of the English word "user". */
export const contentOf = (terms: readonly TermWeight[]): ReadonlySet<string> =>
  new Set(
    terms
      .map(({ term }) => term.replace(/^\?/, ""))
      .filter((term) => !term.startsWith("@") && !SUBJECT.has(term)),
  );

export type Obstacle = "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";

/** Returns why a fact can't be recalled now, or `undefined` if it can be recalled. */
export function obstacleNow(fact: StoredFact, now: number): Obstacle | undefined {
  // A superseded quotation can be recalled, like the quotation that replaced it.
  const obstacle = obstacleAt(fact, now);
  return obstacle === "superseded" && fact.quotation !== null ? undefined : obstacle;
}

/** Returns why a recall for the time `at` (milliseconds since 1970) can't find a fact, or `undefined` if it can. */
export function obstacleAt(fact: StoredFact, at: number): Obstacle | undefined {
  if (fact.status === "quarantined") return "quarantined";
  if (at < fact.validFrom) return "not-yet-valid";
  if (fact.validUntil !== null && at >= fact.validUntil) return "no-longer-valid";
  if (fact.supersededAt !== null && at >= fact.supersededAt) return "superseded";
  return undefined;
}

const YEAR_MS = 365.25 * 24 * 60 * 60 * 1_000;
const BACK_MS = 150 * YEAR_MS;
const AHEAD_MS = 50 * YEAR_MS;

/**
 * Returns `time`, in milliseconds since 1970. Returns `null` if it is missing, invalid, more than 150 years before
 * `now`, or more than 50 years after `now`.
 */
export function plausibleTime(time: number | null | undefined, now: number): number | null {
  if (time === null || time === undefined || Number.isNaN(time)) return null;
  return time < now - BACK_MS || time > now + AHEAD_MS ? null : time;
}

/**
 * Returns the time of a statement in milliseconds since 1970, at most `now`. Returns `null` if the time is missing or
 * implausible.
 */
export function saidTime(time: number | null | undefined, now: number): number | null {
  const plausible = plausibleTime(time, now);
  return plausible === null ? null : Math.min(plausible, now);
}
