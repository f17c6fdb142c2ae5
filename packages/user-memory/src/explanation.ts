import type { UserFact } from "./fact.ts";

/** One thing that adds to a fact's score for a query. */
export interface RecallReason {
  readonly kind: /** Words of the query stand in the fact or in its evidence. */
    | "terms"
    /** Neighbouring messages fit. */
    | "neighbours"
    /** The conversation it was said in fits. */
    | "conversation"
    /** The query names who said it. */
    | "author"
    /** The query asks for the time it was said at, or for a time. */
    | "date"
    /** Its meaning is close to the query's, by `embed`. */
    | "meaning";
  /** How much of the score: of `"meaning"` the cosine similarity. */
  readonly score: number;
  /** For `"terms"`: the words, stemmed. */
  readonly terms?: readonly string[];
}

/** Why a fact is recalled, and where it comes from. */
export interface FactExplanation {
  readonly fact: UserFact;
  /** From 1, among all that the query finds; `null` if it doesn't find the fact, or no query was given. */
  readonly rank: number | null;
  /** Empty where `rank` is `null`. */
  readonly reasons: readonly RecallReason[];
  /** Whether it can be recalled at all, and if not, why not. */
  readonly recallable: boolean;
  readonly obstacle?: "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";
  /** The facts that it superseded, newest first. */
  readonly supersedes: readonly UserFact[];
}
