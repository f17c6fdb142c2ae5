/** Scripts that write no spaces between words, for a class of a regular expression. */
export const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;

const CHARACTER = new RegExp(`[${UNSPACED}]`, "gu");
const WORD = new RegExp(String.raw`[^\s${UNSPACED}\p{P}]+`, "gu");

/** How many words a text has. Where no spaces stand between them, as many as there would be by its length. */
export const wordsIn = (text: string): number =>
  (text.match(WORD)?.length ?? 0) + Math.ceil((text.match(CHARACTER)?.length ?? 0) / 2);
