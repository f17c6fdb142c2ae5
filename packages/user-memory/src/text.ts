/** Scripts without spaces between words (e.g. Chinese), as the content of a character class in a regular expression. */
export const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;

const CHARACTER = new RegExp(`[${UNSPACED}]`, "gu");
const WORD = new RegExp(String.raw`[^\s${UNSPACED}\p{P}]+`, "gu");

/** Returns the number of words in a text. In scripts without spaces, two characters count as a word. */
export const wordsIn = (text: string): number =>
  (text.match(WORD)?.length ?? 0) + Math.ceil((text.match(CHARACTER)?.length ?? 0) / 2);

/** The locale for splitting texts into words and sentences. */
// The locale of the machine would change the results (e.g. in the Greek locale, a semicolon ends a sentence). English
// has no special rules. The runtime replaces the language-neutral `und` with the machine's locale.
export const FIXED_LOCALE = "en";

// Created on first use, because creating a segmenter takes 8 ms.
let segmenter: Intl.Segmenter | undefined;

/** Splits a text into sentences. Each sentence includes the white space after it. */
export function sentencesIn(text: string): Iterable<Intl.SegmentData> {
  // The same on every machine, because of the fixed locale.
  segmenter ??= new Intl.Segmenter(FIXED_LOCALE, { granularity: "sentence" });
  return segmenter.segment(text);
}

const CLOSING = String.raw`[\s\p{Pf}\p{Pe}"'*_]*$`;
const QUESTION = new RegExp(String.raw`[?？؟⁇⁈\u037E]${CLOSING}`, "u");
const SEMICOLON = new RegExp(`;${CLOSING}`, "u");

/** Whether each sentence of a text ends with a question mark. */
export const isQuestion = (text: string): boolean =>
  asks(text) && [...sentencesIn(text)].every(({ segment }) => asks(segment));

/** Whether a sentence ends with a question mark. In Greek text, a semicolon counts as one. */
// Greek keyboards and Unicode normalization write the Greek question mark as a semicolon.
export const asks = (sentence: string): boolean =>
  QUESTION.test(sentence) || (SEMICOLON.test(sentence) && isMostlyGreek(sentence));

function isMostlyGreek(sentence: string): boolean {
  const letters = sentence.match(/\p{L}/gu) ?? [];
  const greek = letters.filter((letter) => /\p{Script=Greek}/u.test(letter));
  return greek.length > letters.length / 2;
}

/** A range of a text, as offsets in UTF-16 units: `start` is included, `end` isn't. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A line of a text, without its line break. */
export interface Line extends Span {
  readonly text: string;
}

/** Replaces all kinds of line breaks with `\n`. The positions of all other characters don't change. */
export const withLineFeeds = (text: string): string =>
  text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/gu, (found) => "\n".padStart(found.length));

export function linesOf(text: string): readonly Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const found = { start, end: start + line.length, text: line };
    start = found.end + 1;
    return found;
  });
}

export const isBlank = ({ text }: Line): boolean => text.trim() === "";
