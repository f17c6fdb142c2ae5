import { fixedStemOf, lemmaOf } from "./lemmas.ts";

const VOWEL = "[aeiouy]";
const CONSONANT = "[^aeiouy]";
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_SYLLABLE = new RegExp(`(?:^${VOWEL}${CONSONANT}|${CONSONANT}${VOWEL}[^aeiouwxyY])$`);
const REGION = new RegExp(`${VOWEL}${CONSONANT}`);
const REGION_PREFIX = /^(?:gener|commun|arsen)/;
const HAS_VOWEL = /[aeiouy]/;

/** A word under work, with the offsets of its regions R1 and R2. */
interface Word {
  readonly text: string;
  readonly r1: number;
  readonly r2: number;
}

const SUFFIXES_2: readonly (readonly [string, string])[] = [
  ["ization", "ize"],
  ["ational", "ate"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["entli", "ent"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ousli", "ous"],
  ["iviti", "ive"],
  ["fulli", "ful"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["abli", "able"],
  ["izer", "ize"],
  ["ator", "ate"],
  ["alli", "al"],
  ["bli", "ble"],
];

const SUFFIXES_3: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

const SUFFIXES_4: readonly string[] = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "al",
  "er",
  "ic",
];

/**
 * The stem of an English word: its base form, if it is an irregular form or an everyday synonym (`bought` and `buying` both give
 * `buy`), then by the rules of Porter2 (snowballstem.org/algorithms/english, before version 3). A word of anything but `a` to `z`,
 * or of more than 40 letters, comes back as it is. Lower case is expected.
 *
 * It isn't all of Porter2, whose list of exceptions is here only in part. `sky` gives `ski`, `ugly` gives `ug`, `idly` gives `id`,
 * `gently` gives `gentli`, `singly` gives `sing`, `howe` gives `how`, `andes` gives `and`, and `canning` gives `can`; `early`, `only` and
 * `university` are stems of their own. Stored indexes hold these stems, so whoever corrects one has to index again.
 */
export function stem(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  const base = lemmaOf(word) ?? word;
  const fixed = fixedStemOf(base);
  if (fixed !== undefined) return fixed;
  if (base.length < 3 || base.length > 40) return base;
  const marked = base.replace(/(^|[aeiouy])y/g, "$1Y");
  const start = regions(marked);
  let text = plural(marked);
  text = pastAndGerund({ ...start, text });
  text = text.replace(/(?<=.[^aeiouy])[yY]$/, "i");
  text = derived({ ...start, text });
  text = adjectival({ ...start, text });
  text = residual({ ...start, text });
  return finalLetter({ ...start, text }).toLowerCase();
}

function regions(text: string): Omit<Word, "text"> {
  const prefix = REGION_PREFIX.exec(text)?.[0].length;
  const r1 = prefix ?? regionAfter(text, 0);
  return { r1, r2: regionAfter(text, r1) };
}

function regionAfter(text: string, from: number): number {
  const found = REGION.exec(text.slice(from));
  return found === null ? text.length : from + found.index + 2;
}

function plural(text: string): string {
  if (text.endsWith("sses")) return text.slice(0, -2);
  if (/ie[ds]$/.test(text)) return text.slice(0, text.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(text) || !text.endsWith("s")) return text;
  return HAS_VOWEL.test(text.slice(0, -2)) ? text.slice(0, -1) : text;
}

function pastAndGerund({ text, r1 }: Word): string {
  const eed = /(?:eedly|eed)$/.exec(text);
  if (eed !== null) return eed.index >= r1 ? `${text.slice(0, eed.index)}ee` : text;
  const found = /(?:ingly|edly|ing|ed)$/.exec(text);
  if (found === null) return text;
  const rest = text.slice(0, found.index);
  if (!HAS_VOWEL.test(rest)) return text;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (DOUBLE.test(rest)) return rest.slice(0, -1);
  return r1 >= rest.length && SHORT_SYLLABLE.test(rest) ? `${rest}e` : rest;
}

/** The longest suffix of the table that the word ends with; nothing shorter is tried where it lies too far left. */
function longest<T>(table: readonly T[], text: string, suffixOf: (entry: T) => string): T | undefined {
  return table.find((entry) => text.endsWith(suffixOf(entry)));
}

function derived({ text, r1 }: Word): string {
  const found = longest(SUFFIXES_2, text, ([suffix]) => suffix);
  if (found !== undefined) {
    const at = text.length - found[0].length;
    return at >= r1 ? text.slice(0, at) + found[1] : text;
  }
  const ogi = text.endsWith("logi") && text.length - 3 >= r1;
  if (ogi) return text.slice(0, -1);
  return /[cdeghkmnrt]li$/.test(text) && text.length - 2 >= r1 ? text.slice(0, -2) : text;
}

function adjectival({ text, r1, r2 }: Word): string {
  if (text.endsWith("ative")) return text.length - 5 >= r2 ? text.slice(0, -5) : text;
  const found = longest(SUFFIXES_3, text, ([suffix]) => suffix);
  if (found === undefined) return text;
  const at = text.length - found[0].length;
  return at >= r1 ? text.slice(0, at) + found[1] : text;
}

function residual({ text, r2 }: Word): string {
  const found = longest(SUFFIXES_4, text, (suffix) => suffix);
  if (found !== undefined) return text.length - found.length >= r2 ? text.slice(0, -found.length) : text;
  return /[st]ion$/.test(text) && text.length - 3 >= r2 ? text.slice(0, -3) : text;
}

function finalLetter({ text, r1, r2 }: Word): string {
  const at = text.length - 1;
  if (text.endsWith("e")) {
    const drop = at >= r2 || (at >= r1 && !SHORT_SYLLABLE.test(text.slice(0, -1)));
    return drop ? text.slice(0, -1) : text;
  }
  return text.endsWith("ll") && at >= r2 ? text.slice(0, -1) : text;
}
