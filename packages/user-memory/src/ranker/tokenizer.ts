import { UNSPACED } from "../text/scripts.ts";
import { FIXED_LOCALE } from "../text/sentences.ts";

const WORD_LIMIT = 64;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu;
const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, "u");
/** Dividing takes time quadratic in the length of a run. */
const RUN = /.{1,256}/gsu;
const HAN = /^\p{sc=Han}{3,}$/u;
const PLAIN = /^[\n\r\t -~]*$/;
/** Accents of Latin, Greek and Cyrillic, and the vowel points of Hebrew and Arabic. Elsewhere a mark is a letter. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
/** More marks on one letter than any language writes; normalising takes time quadratic in them. */
const PILED_MARKS = /(\p{M}{16})\p{M}+/gu;
const APOSTROPHE = /['’]+/;
const ENGLISH_ENDING = /['’](?:s|re|ve|ll|d|m)?$/;
const NEGATION = /n['’]t$/;

let segmenter: Intl.Segmenter | undefined;

/** Takes case, width and accents away: `Ｃafé`, `CAFÉ` and `cafe` all give `cafe`. */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const bare = text.replace(PILED_MARKS, "$1").normalize("NFKD").toLowerCase().replace(ACCENTS, "");
  return bare.replaceAll("ß", "ss").replaceAll("ς", "σ").normalize("NFC");
}

/**
 * The words of a text in order, folded, each of at most 64 characters. Languages that write without spaces are divided
 * by the dictionaries of the runtime. English endings (`'s`, `'ll`) are dropped; a negated auxiliary (`don't`) is a `not`.
 */
export function tokenize(text: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of fold(text).matchAll(WORD)) {
    if (PLAIN.test(word) && !word.includes("'")) words.push(bounded(word));
    else if (UNSPACED_CHARACTER.test(word)) divide(word, words);
    else split(word, words);
  }
  return words;
}

// By characters, so that none is cut in halves that no store takes.
const bounded = (word: string) =>
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
  for (const part of parts) if (part.length > 1 || parts.length === 1) words.push(bounded(part));
}

function divide(text: string, words: string[]): void {
  segmenter ??= new Intl.Segmenter(FIXED_LOCALE, { granularity: "word" });
  for (const [run] of text.matchAll(RUN)) {
    for (const { segment, isWordLike } of segmenter.segment(run)) {
      if (isWordLike === false) continue;
      words.push(bounded(segment));
      if (HAN.test(segment)) words.push(...pairs(bounded(segment)));
    }
  }
}

/** Dictionaries take some compounds for one word. Who asks for a part of it finds it by pairs of characters. */
function pairs(segment: string): readonly string[] {
  const characters = Array.from(segment);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
