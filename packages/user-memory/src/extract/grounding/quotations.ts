import { FIRST_PERSON } from "./lexicon.ts";
import type { Range } from "./range.ts";

/** Quotation marks around fewer words are around a name. */
const QUOTED_WORDS = 4;
const QUOTED_SIGNS = 8;

/** None reaches over another that opens, so that what never closes costs no more than one look. */
const QUOTES: readonly RegExp[] = [
  /"([^"\n]{1,2000})"/gu,
  /[“„‟]([^“”„‟\n]{1,2000})[”“]/gu,
  /«([^«»\n]{1,2000})»/gu,
  /»([^«»\n]{1,2000})«/gu,
  /‹([^‹›\n]{1,2000})›/gu,
  /「([^「」\n]{1,2000})」/gu,
  /『([^『』\n]{1,2000})』/gu,
  /(?<![\p{L}\p{N}])['‘‚]((?:[^'‘’‚\n]|(?<=\p{L})['’](?=\p{L})){1,2000})['’‘](?![\p{L}\p{N}])/gu,
];
const SIGNS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu;

/** What stands in quotation marks, where it is more than a name. */
export function quotations(text: string): readonly Range[] {
  return QUOTES.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 0: quote, 1: inside = "", index }) => {
      const before = text.slice(Math.max(0, index - 20), index);
      return isSpeech(inside, before) ? [{ start: index, end: index + quote.length }] : [];
    }),
  );
}

function isSpeech(inside: string, before: string): boolean {
  const words = inside.trim().split(/[\s-]+/u);
  const signs = inside.match(SIGNS)?.length ?? 0;
  if (words.length >= QUOTED_WORDS || signs >= QUOTED_SIGNS) return true;
  const isLong = words.length > 1 || signs > 2;
  const isOfSpeaker =
    words.some((word) => FIRST_PERSON.has(word.toLowerCase().replace(/['’].*$|[^\p{L}]+$/u, ""))) ||
    (signs > 0 && [...inside].some((sign) => FIRST_PERSON.has(sign)));
  return isLong && (isOfSpeaker || /[:：,，]\s*$/u.test(before));
}
