export { blend } from "./fusion.ts";
export { parseQuery, type Query, type QueryOptions } from "./query.ts";
export { type RankedItem, type RankOptions, type Reasons, rank } from "./ranker.ts";
export type { ScoreParts } from "./scorer.ts";
export type { DocumentContext, MatchedDocument, Matches, MessageLocation, TermWeight } from "./term-index.ts";
export { createMemoryTermIndex, type MemoryTermIndex } from "./term-index.ts";
export { askedTerm, createTermOf, type DocumentReading, type TermOf, termsOf } from "./tokenizer.ts";
