export { isFirstPerson, wordKinds } from "./common-words.ts";
export { type CalendarDate, dayOf, daysLater, timeMentions } from "./dates.ts";
export { createFits, type Fits } from "./fit.ts";
export { blend } from "./fusion.ts";
export { isFollowUp, parseQuery, type Query, type QueryOptions } from "./query.ts";
export { type RankedItem, type RankOptions, type Reasons, rank } from "./ranker.ts";
export type { ScoreParts } from "./scorer.ts";
export { stem } from "./stemmer.ts";
export {
  createMemoryTermIndex,
  type DocumentContext,
  type MatchedDocument,
  type Matches,
  type MemoryTermIndex,
  type MessageLocation,
  type TermWeight,
} from "./term-index.ts";
export {
  askedTerm,
  createTermOf,
  type DocumentReading,
  fold,
  isStopWord,
  type TermOf,
  termOf,
  termsOf,
  tokenize,
} from "./tokenizer.ts";
