import { present } from "@jaf/memory/adapter";
import type { StoredFact, TermWeight, UserKey } from "../backend.ts";
import type { Provenance, UserFact } from "../fact.ts";
import { termsOf } from "../ranker/index.ts";
import { detailsOf, toQuotation } from "./quotation.ts";

export const toUserFactOrNull = (user: UserKey, stored: StoredFact | null | undefined): UserFact | null =>
  stored ? toUserFact(user, stored) : null;

/** A fact as callers get it: frozen, and without what isn't known. */
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

/** Whether a value can be the id of a fact. One that can't names nothing. */
export const isFactId = (factId: unknown): factId is string =>
  typeof factId === "string" && /^[0-9a-f-]{36}$/.test(factId);

type Indexed = Pick<StoredFact, "fact" | "evidence" | "saidAt" | "quotation">;

/** What a fact is found by: its own words and those that it was extracted from; of a quotation, its question and paraphrases, too. */
export function termsOfFact({ fact, evidence, saidAt, quotation }: Indexed): readonly TermWeight[] {
  const { question = null, paraphrases = [] } = detailsOf({ quotation }) ?? {};
  const texts = [fact, evidence === fact ? null : evidence, question, ...paraphrases];
  const text = texts.filter((one) => one !== null).join("\n");
  return termsOf(text, saidAt === null ? {} : { saidAt });
}

/** The words that a fact itself says, as stems: none that a model chose to find it by. */
export const ownContent = ({ fact }: Pick<StoredFact, "fact">): ReadonlySet<string> =>
  contentOf(termsOf(fact));

/** Who a fact is about goes without saying. */
const SUBJECT = new Set(termsOf("the user's users").map(({ term }) => term));

/** What terms say, but for who it is about, when it was said, and whether it was asked. */
export const contentOf = (terms: readonly TermWeight[]): ReadonlySet<string> =>
  new Set(
    terms
      .map(({ term }) => term.replace(/^\?/, ""))
      .filter((term) => !term.startsWith("@") && !SUBJECT.has(term)),
  );

export type Obstacle = "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";

/** Why a fact isn't recalled now: as {@link obstacleAt}, but that an earlier quotation is recalled beside what took its place. */
export function obstacleNow(fact: StoredFact, now: number): Obstacle | undefined {
  const obstacle = obstacleAt(fact, now);
  return obstacle === "superseded" && fact.quotation !== null ? undefined : obstacle;
}

/** Why a fact isn't recalled as of a time; `undefined` if it is. */
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

/** The time, unless it lies too far away to be meant; in milliseconds since 1970. */
export function plausibleTime(time: number | null | undefined, now: number): number | null {
  if (time === null || time === undefined || Number.isNaN(time)) return null;
  return time < now - BACK_MS || time > now + AHEAD_MS ? null : time;
}

/** When something was said: never in the future. */
export function saidTime(time: number | null | undefined, now: number): number | null {
  const plausible = plausibleTime(time, now);
  return plausible === null ? null : Math.min(plausible, now);
}
