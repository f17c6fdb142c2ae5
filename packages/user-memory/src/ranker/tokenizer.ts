import { FIXED_LOCALE, UNSPACED } from "../text.ts";
import { dateTerms, dayOf, timeMentions } from "./dates.ts";
import { stem } from "./stemmer.ts";
import type { TermWeight } from "./term-index.ts";

const WORD_LIMIT = 64;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu;
const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, "u");
/** Matches runs of at most 256 characters. */
// A text is segmented run by run, because segmentation takes quadratic time.
const RUN = /.{1,256}/gsu;
const HAN = /^\p{sc=Han}{3,}$/u;
const PLAIN = /^[\n\r\t -~]*$/;
/** Matches accents of Latin, Greek and Cyrillic letters, and vowel points of Hebrew and Arabic. */
// Marks of other scripts are part of a letter.
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
/** Matches the marks on a letter after the first sixteen, which is more than any language uses. */
// The time of Unicode normalization grows with the square of the number of marks.
const PILED_MARKS = /(\p{M}{16})\p{M}+/gu;
const APOSTROPHE = /['’]+/;
const ENGLISH_ENDING = /['’](?:s|re|ve|ll|d|m)?$/;
const NEGATION = /n['’]t$/;

let segmenter: Intl.Segmenter | undefined;

/** Converts a text to lower case without accents and full-width forms: `Ｃafé`, `CAFÉ` and `cafe` all give `cafe`. */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const bare = text.replace(PILED_MARKS, "$1").normalize("NFKD").toLowerCase().replace(ACCENTS, "");
  return bare.replaceAll("ß", "ss").replaceAll("ς", "σ").normalize("NFC");
}

/**
 * Returns the words of a text in order, in lower case without accents and English endings (`'s`). Negated auxiliaries
 * (`don't`) become `not`.
 */
export function tokenize(text: string): readonly string[] {
  const words: string[] = [];
  const folded = fold(text);
  if (PLAIN.test(folded)) return plainWords(folded);
  for (const [word] of folded.matchAll(WORD)) {
    if (PLAIN.test(word) && !word.includes("'")) words.push(truncated(word));
    else if (UNSPACED_CHARACTER.test(word)) divide(word, words);
    else split(word, words);
  }
  return words;
}

const APOSTROPHE_CODE = 39;

const isWordCode = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57);

/** Returns the words of a text of lower-case ASCII characters. */
// Most texts of an index are such texts, and this is several times faster than the pattern.
function plainWords(text: string): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if (!isWordCode(text.charCodeAt(at))) continue;
    const start = at;
    let isWhole = true;
    for (at++; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === APOSTROPHE_CODE) isWhole = false;
      else if (!isWordCode(code)) break;
    }
    const word = text.slice(start, at);
    if (isWhole) words.push(truncated(word));
    else split(word, words);
  }
  return words;
}

// Cuts by characters, because stores refuse a text with a split surrogate pair.
const truncated = (word: string) =>
  word.length <= WORD_LIMIT
    ? word
    : Array.from(word.slice(0, 2 * WORD_LIMIT))
        .slice(0, WORD_LIMIT)
        .join("");

function split(word: string, words: string[]): void {
  if (NEGATION.test(word)) {
    words.push("not");
    return;
  }
  const parts = word.replace(ENGLISH_ENDING, "").split(APOSTROPHE);
  // A single letter before an apostrophe is an article or a pronoun: `l'amie`, `j'ai`, `o'clock`.
  for (const part of parts) if (part.length > 1 || parts.length === 1) words.push(truncated(part));
}

function divide(text: string, words: string[]): void {
  segmenter ??= new Intl.Segmenter(FIXED_LOCALE, { granularity: "word" });
  for (const [run] of text.matchAll(RUN)) {
    for (const { segment, isWordLike } of segmenter.segment(run)) {
      if (isWordLike === false) continue;
      words.push(truncated(segment));
      if (HAN.test(segment)) words.push(...pairs(truncated(segment)));
    }
  }
}

/** Returns all pairs of consecutive characters of a word. */
function pairs(segment: string): readonly string[] {
  // Dictionaries treat some compounds as one word. The pairs let queries find parts of a compound.
  const characters = Array.from(segment);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const STOP_WORD_LIST = `
a an the this that these those some any each every either neither both all
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones someone somebody something anyone anybody anything everyone
everybody everything
am is are was were be been being do does did doing done have has had having will would shall should can could may
might must ought
and or but so if then than because as while until although though unless since whether
of at by for with about against between into through during to from in out on off over under onto upon within without
who whom whose which what when where why how
there here again once very too just also only own same such other another more most much many few
yes ok okay oh hey hi hello wow yeah yep nope hmm haha lol
get got really thanks thank
im ive id ill youre youve hes shes theyre theyve thats theres whats lets
`;

const STOP_WORDS: ReadonlySet<string> = new Set(STOP_WORD_LIST.trim().split(/\s+/));

/**
 * Whether an English word says nothing about the topic of a text, e.g. `the`. The word must be in lower case without
 * accents.
 */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

const TEXT_LIMIT = 16_384;
const WORD_TERM_LIMIT = 224;
const DATE_TERM_LIMIT = 32;
const SENTENCE = /[^.!?。！？؟\n]+[.!?。！？؟]*/g;
const QUESTION = /[?？؟]/;

/** The index term of documents that mention a time. */
export const TIME_TERM = "@when";

/** The index term of every negation. Queries don't look for this term. */
// Negations occur in documents about any topic.
export const NEGATION_TERM = "not";

/** Returns the index term of a word in a question. */
export const askedTerm = (term: string): string => `?${term}`;

/**
 * Returns the index term of a word, or `undefined` for a stop word (e.g. `the`). The word must be in lower case without
 * accents.
 */
export type TermOf = (word: string) => string | undefined;

export const termOf: TermOf = (word) => (isStopWord(word) ? undefined : stem(word));

const MAX_CACHED_WORDS = 20_000;

/**
 * Creates a function that caches the results of {@link termOf}. Drop it after the last text, because its cache keeps
 * words in memory.
 */
export function createTermOf(): TermOf {
  const terms = new Map<string, string | null>();
  return (word) => {
    const known = terms.get(word);
    if (known !== undefined) return known ?? undefined;
    const term = termOf(word);
    if (terms.size < MAX_CACHED_WORDS) terms.set(word, term ?? null);
    return term;
  };
}

export interface DocumentReading {
  /** When the text was said, in milliseconds since 1970. Absent: words such as `yesterday` have no date. */
  readonly saidAt?: number | undefined;
  /** A function that {@link createTermOf} returned, which is faster for many documents. Default: {@link termOf}. */
  readonly termOf?: TermOf | undefined;
}

/**
 * Returns the index terms of a document: the stems of its words, with their counts, and its dates (`@2023-07-08`).
 * Returns only the first 256 terms.
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
