import { parseQuery } from "./query.ts";
import { rank } from "./ranker.ts";
import { createMemoryTermIndex } from "./term-index.ts";
import { termsOf } from "./tokenizer.ts";

/** A text that matches a query. */
export interface RankedText {
  /** The index of the text in the list. */
  readonly index: number;
  /** How well the text matches, above 0. Scores of different rankings can't be compared. */
  readonly score: number;
}

/**
 * Ranks texts by the rules by which recall ranks facts, best first. Texts that don't match the query are left out. Reads
 * all texts, so it is for lists of at most some thousands.
 *
 * @example
 * ```ts
 * import { rankTexts } from "@jaf/user-memory";
 *
 * const texts = ["Lives in Oslo.", "Is allergic to nuts."];
 * console.log(rankTexts("Which allergies are there?", texts)); // the second text
 * ```
 */
export function rankTexts(query: string, texts: readonly string[]): readonly RankedText[] {
  const index = createMemoryTermIndex();
  for (const [at, text] of texts.entries()) index.add({ seq: at + 1 }, termsOf(text));
  const parsed = parseQuery(query, { now: Date.now() });
  const ranked = rank(parsed, index.match(parsed.terms), { limit: Math.max(1, texts.length) });
  return ranked.flatMap(({ seq, score }) => (seq === undefined ? [] : [{ index: seq - 1, score }]));
}
