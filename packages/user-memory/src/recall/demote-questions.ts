import type { StoredFact } from "../backend/backend.ts";
import { detailsOf } from "../facts/quotation.ts";
import { ownContent } from "../facts/terms.ts";
import { isQuestion } from "../text/asks.ts";
import type { Found } from "./order.ts";

/** A quotation that says little is ranked as one of this many times its rank. */
const BEHIND = 10;

export interface Demoted extends Found {
  /** From 1. What is ranked behind the last of them comes after all whose effective rank is at most their number. */
  readonly effectiveRank: number;
}

/** Puts quotations that only ask, or say but one thing ("Thanks!"), behind those about as likely that say something. */
export function demoteQuestions(found: readonly Found[]): readonly Demoted[] {
  return found
    .map((one, index) => ({ ...one, effectiveRank: (index + 1) * (saysLittle(one.fact) ? BEHIND : 1) }))
    .sort((a, b) => a.effectiveRank - b.effectiveRank);
}

const saysLittle = ({ fact, quotation }: StoredFact): boolean =>
  quotation !== null &&
  detailsOf({ quotation })?.question == null &&
  (isQuestion(fact) || ownContent({ fact }).size < 2);
