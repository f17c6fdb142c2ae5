/** Scripts that write no spaces between words, for a class of a regular expression. */
export const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;

const CHARACTER = new RegExp(`[${UNSPACED}]`, "gu");
const WORD = new RegExp(String.raw`[^\s${UNSPACED}\p{P}]+`, "gu");

/** How many words a text has. Where no spaces stand between them, as many as there would be by its length. */
export const wordsIn = (text: string): number =>
  (text.match(WORD)?.length ?? 0) + Math.ceil((text.match(CHARACTER)?.length ?? 0) / 2);

/**
 * By whose rules texts are divided. A machine's own would divide the same text in another way than the one that wrote it: where
 * Greek is spoken, sentences end at a semicolon. `und` is no such locale: the runtime takes the machine's for it. English
 * changes nothing of the rules that hold for all languages.
 */
export const FIXED_LOCALE = "en";

// Making one takes 8 ms: on first use.
let segmenter: Intl.Segmenter | undefined;

/** A text in sentences, the white space behind each with it: the same on every machine. */
export function sentencesIn(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(FIXED_LOCALE, { granularity: "sentence" });
  return segmenter.segment(text);
}

const CLOSING = String.raw`[\s\p{Pf}\p{Pe}"'*_]*$`;
const QUESTION = new RegExp(String.raw`[?？؟⁇⁈\u037E]${CLOSING}`, "u");
const SEMICOLON = new RegExp(`;${CLOSING}`, "u");

/** Whether a text only asks: each of its sentences ends in a question mark. */
export const isQuestion = (text: string): boolean =>
  asks(text) && [...sentencesIn(text)].every(({ segment }) => asks(segment));

/**
 * Whether a sentence ends in a question mark. Greek keyboards and Unicode normalisation write the Greek one as a semicolon,
 * which elsewhere asks nothing.
 */
export const asks = (sentence: string): boolean =>
  QUESTION.test(sentence) || (SEMICOLON.test(sentence) && isMostlyGreek(sentence));

function isMostlyGreek(sentence: string): boolean {
  const letters = sentence.match(/\p{L}/gu) ?? [];
  const greek = letters.filter((letter) => /\p{Script=Greek}/u.test(letter));
  return greek.length > letters.length / 2;
}

/** A part of a text, in UTF-16 units; `end` is behind its last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A line without its break; `end` is behind its last sign. */
export interface Line extends Span {
  readonly text: string;
}

/** With one kind of line break, and everything else where it was. */
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
