import { dateTerms, dayOf } from "./dates.ts";
import type { TermWeight } from "./matches.ts";
import { stem } from "./stemmer.ts";
import { isStopWord } from "./stop-words.ts";
import { timeMentions } from "./time-mentions.ts";
import { fold, tokenize } from "./tokenizer.ts";

const TEXT_LIMIT = 16_384;
const WORD_TERM_LIMIT = 224;
const DATE_TERM_LIMIT = 32;
const SENTENCE = /[^.!?。！？؟\n]+[.!?。！？؟]*/g;
const QUESTION = /[?？؟]/;

/** The term of a document that says when something was, so that a question after the time can prefer it. */
export const TIME_TERM = "@when";

/** The term of every negation. Queries don't ask for it: most of what holds it is about something else. */
export const NEGATION_TERM = "not";

/** The term of a word that stands in a question: who looks for the word looks for what was answered. */
export const askedTerm = (term: string): string => `?${term}`;

/** The stem under which a folded word is indexed; `undefined` for a word that says nothing. */
export type TermOf = (word: string) => string | undefined;

export const termOf: TermOf = (word) => (isStopWord(word) ? undefined : stem(word));

const MOST_WORDS_KEPT = 20_000;

/** {@link termOf} for many texts: each word is stemmed once. It keeps the words, so it is dropped when the texts are read. */
export function createTermOf(): TermOf {
  const terms = new Map<string, string | undefined>();
  return (word) => {
    const known = terms.get(word);
    if (known !== undefined || terms.has(word)) return known;
    const term = termOf(word);
    if (terms.size < MOST_WORDS_KEPT) terms.set(word, term);
    return term;
  };
}

export interface DocumentReading {
  /** When it was said, in milliseconds since 1970. With it, the document is also found by its date, and by what `yesterday` in it means. */
  readonly saidAt?: number | undefined;
  /** Of {@link createTermOf}, where many documents are read. */
  readonly termOf?: TermOf | undefined;
}

/**
 * What to index of a document: the stems of its words with how often each stands in it (`?` before a word of a
 * question), and the dates on which it was said or that it names (`@2023-07-08`). At most 256 terms, each once, the
 * first of the text. Takes time linear in the text; of a longer one, the first 16,384 UTF-16 units count.
 */
export function termsOf(text: string, reading: DocumentReading = {}): readonly TermWeight[] {
  const { saidAt } = reading;
  const read = text.slice(0, TEXT_LIMIT);
  return [
    ...Array.from(wordWeights(read, reading.termOf ?? termOf), ([term, weight]) => ({ term, weight })),
    ...Array.from(dateTermsOf(read, saidAt), (term) => ({ term, weight: 1 })),
  ];
}

function wordWeights(text: string, termOfWord: TermOf): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const [sentence] of text.matchAll(SENTENCE)) {
    const asks = QUESTION.test(sentence);
    for (const word of tokenize(sentence)) {
      const stemmed = termOfWord(word);
      if (stemmed === undefined) continue;
      const term = asks ? askedTerm(stemmed) : stemmed;
      const weight = weights.get(term) ?? 0;
      if (weight > 0 || weights.size < WORD_TERM_LIMIT) weights.set(term, weight + 1);
    }
  }
  return weights;
}

function dateTermsOf(text: string, saidAt: number | undefined): ReadonlySet<string> {
  const { some, dates } = timeMentions(fold(text), saidAt);
  const terms = new Set<string>(some ? [TIME_TERM] : []);
  for (const date of saidAt === undefined ? dates : [dayOf(saidAt), ...dates]) {
    for (const term of dateTerms(date)) if (terms.size < DATE_TERM_LIMIT) terms.add(term);
  }
  return terms;
}
