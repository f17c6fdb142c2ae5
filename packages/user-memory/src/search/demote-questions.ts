import type { StoredFact } from "../backend/backend.ts";
import { ownContent } from "../rules/indexing.ts";
import { detailsOf } from "../rules/quotation.ts";
import { isQuestion } from "./asks.ts";
import type { Found } from "./order.ts";

/** A quotation that says little stands where one of this many times its rank would. */
const BEHIND = 10;

/** Puts quotations that only ask, or say but one thing ("Thanks!"), behind those about as likely that say something. */
export function demoteQuestions(found: readonly Found[]): readonly Found[] {
  const placeOf = ({ fact }: Found, index: number): number => (index + 1) * (saysLittle(fact) ? BEHIND : 1);
  return found
    .map((one, index) => ({ one, place: placeOf(one, index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

const saysLittle = ({ fact, quotation }: StoredFact): boolean =>
  quotation !== null &&
  detailsOf({ quotation })?.question == null &&
  (isQuestion(fact) || ownContent({ fact }).size < 2);
