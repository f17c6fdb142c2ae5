import type { TextRange } from "@jaf/memory";
import { type Matches, type Query, rank, termsOf } from "../ranker/index.ts";
import { FIXED_LOCALE, UNSPACED } from "../text.ts";
import { passagesIn, type YieldIfDue } from "./conversation-index.ts";

/** The part of a message that a search found. */
export interface FoundPassage {
  /** The part of the message that matches best: whole sentences, of at most 500 UTF-16 units. */
  readonly passage: string;
  /** Where `passage` contains words of the query, in order. Empty: only messages near this one contain them. */
  readonly matches: readonly TextRange[];
}

/** A message in which a search looks for the best passage. */
interface SearchedMessage {
  readonly text: string;
  readonly role: "user" | "assistant";
}

interface PassageSearch {
  readonly query: Query;
  /** The matches of the query in all messages of the user. They say how rare each word is. */
  readonly matches: Matches;
  readonly yieldIfDue: YieldIfDue;
}

/**
 * Returns the passage of a message that matches best. If none matches, because the message was found by its neighbours,
 * returns the first passage without `matches`.
 */
// The passage is searched in the text, because an index has no text, and not every index has passages.
export async function bestPassage(
  { text, role }: SearchedMessage,
  { query, matches, yieldIfDue }: PassageSearch,
): Promise<FoundPassage> {
  const asked = new Set(query.terms);
  const passages: string[] = [];
  const documents: Matches["documents"][number][] = [];
  for (const piece of passagesIn(text)) {
    await yieldIfDue();
    const all = termsOf(piece);
    const terms = all.filter(({ term }) => asked.has(term));
    const seq = passages.push(piece);
    if (terms.length > 0) documents.push({ seq, role, terms, length: all.length });
  }
  const [best] = rank(query, { ...matches, documents }, { limit: 1 });
  const passage = (passages[(best?.seq ?? 1) - 1] ?? "").trim();
  return { passage, matches: matchesIn(passage, query) };
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu;
const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, "u");
// Created on first use, because creating a segmenter takes 8 ms.
let segmenter: Intl.Segmenter | undefined;

/** Returns the words of a text that are words of the query in any form, e.g. `dogs` for `dog`. */
function matchesIn(text: string, { words }: Query): readonly TextRange[] {
  const found: TextRange[] = [];
  for (const { word, start } of wordsIn(text)) {
    if (termsOf(word).some(({ term }) => words.has(term))) found.push({ start, end: start + word.length });
  }
  return found;
}

function* wordsIn(text: string): Generator<{ readonly word: string; readonly start: number }> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!UNSPACED_CHARACTER.test(word)) {
      yield { word, start: index };
      continue;
    }
    segmenter ??= new Intl.Segmenter(FIXED_LOCALE, { granularity: "word" });
    for (const part of segmenter.segment(word)) yield { word: part.segment, start: index + part.index };
  }
}
