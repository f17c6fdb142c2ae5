import { present } from "@jaf/memory/adapter";
import type { StoredFact, TermWeight, UserKey } from "../backend.ts";
import type { Provenance, UserFact } from "../fact.ts";
import { termsOf } from "../ranker/index.ts";
import { detailsOf, toQuotation } from "./quotation.ts";

export const toUserFactOrNull = (user: UserKey, stored: StoredFact | null | undefined): UserFact | null =>
  stored ? toUserFact(user, stored) : null;

/** Converts a stored fact into the frozen fact that callers get. Leaves out fields whose value is unknown (`null`). */
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
 * Returns the index terms of a fact: the terms of its text and evidence. For a quotation, also the terms of its
 * question and its paraphrases.
 */
export function termsOfFact({ fact, evidence, saidAt, quotation }: Indexed): readonly TermWeight[] {
  const { question = null, paraphrases = [] } = detailsOf({ quotation }) ?? {};
  const texts = [fact, evidence === fact ? null : evidence, question, ...paraphrases];
  const text = texts.filter((one) => one !== null).join("\n");
  return termsOf(text, saidAt === null ? {} : { saidAt });
}

/** Returns the stems of the words in the text of a fact. Doesn't read the evidence and the paraphrases of the fact. */
export const ownContent = ({ fact }: Pick<StoredFact, "fact">): ReadonlySet<string> =>
  contentOf(termsOf(fact));

/** The stems of `user` and `users`. These stems don't distinguish facts, because every fact is about the user. */
const SUBJECT = new Set(termsOf("the user's users").map(({ term }) => term));

/**
 * Returns the word stems in a list of index terms. Leaves out dates and the stem of `user`. Removes the `?` that marks words
 * of a question.
 */
export const contentOf = (terms: readonly TermWeight[]): ReadonlySet<string> =>
  new Set(
    terms
      .map(({ term }) => term.replace(/^\?/, ""))
      .filter((term) => !term.startsWith("@") && !SUBJECT.has(term)),
  );

export type Obstacle = "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";

/**
 * Returns why a fact can't be recalled now, or `undefined` if it can be recalled. A superseded quotation can be
 * recalled, like the quotation that replaced it. In contrast, {@link obstacleAt} returns `"superseded"` for a
 * superseded quotation.
 */
export function obstacleNow(fact: StoredFact, now: number): Obstacle | undefined {
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
 * Returns `time` (milliseconds since 1970). Returns `null` if `time` is missing or invalid, or if it is more than 150
 * years before or 50 years after `now`.
 */
export function plausibleTime(time: number | null | undefined, now: number): number | null {
  if (time === null || time === undefined || Number.isNaN(time)) return null;
  return time < now - BACK_MS || time > now + AHEAD_MS ? null : time;
}

/**
 * Returns the given time of a statement, in milliseconds since 1970. Returns `now` instead of a time in the future. Returns
 * `null` if the time is missing or implausible.
 */
export function saidTime(time: number | null | undefined, now: number): number | null {
  const plausible = plausibleTime(time, now);
  return plausible === null ? null : Math.min(plausible, now);
}
