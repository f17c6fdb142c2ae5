/** Its words, and `,` where a part of it ends. */
export type Clause = readonly string[];

const APOSTROPHES = /['’‘`´ʼ′＇]/gu;
/** Accents of letters; not the vowel signs of Indic scripts. */
const ACCENTS = /[\u0300-\u036f\u0640\u064b-\u0655]/gu;
const NEGATED =
  /(?<!\p{L})(do|does|did|is|are|was|were|should|must|need|could|would|wo|ca)(?: ?not|n ?'? ?t)(?!\p{L})/gu;

/** Lower case without accents, in one form of each sign. */
export const plain = (text: string): string =>
  text
    .replace(APOSTROPHES, "'")
    .toLowerCase()
    .normalize("NFD")
    .replace(ACCENTS, "")
    .normalize("NFKC")
    .replaceAll("ı", "i")
    .replace(NEGATED, "$1nt");

/** The clauses of a plain text. */
export function clausesOf(text: string): readonly Clause[] {
  const clauses: string[][] = [[]];
  for (const [found] of text.matchAll(
    /[\p{L}\p{M}\p{N}]+|[.!?;\n…؟।。！？]|[,:()"“”„«»–—、，：،]|(?<!\p{L})-/gu,
  )) {
    if (/^[\p{L}\p{N}]/u.test(found)) clauses.at(-1)?.push(found);
    else if (/^[.!?;\n…؟।。！？]/u.test(found)) clauses.push([]);
    else clauses.at(-1)?.push(",");
  }
  return clauses;
}
