import { digit, lower, upper } from "./reader.ts";

const SHORTEST = 32;
/** Of what is random, words, capitals and numbers follow each other within fewer characters than in any name. */
const LONGEST_PART = 3.5;
const FEWEST_CHARACTERS = 10;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

type Kind = "lower" | "upper" | "digit" | "other";

const kindOf = (code: number): Kind => {
  if (lower(code)) return "lower";
  if (upper(code)) return "upper";
  return digit(code) ? "digit" : "other";
};

/**
 * Whether a text is as long and as irregular as a random token: it has letters and digits, and its words (also those of
 * `camelCase`), capitals and numbers are short. A UUID isn't meant: it names something.
 */
export function looksRandom(text: string): boolean {
  if (text.length < SHORTEST) return false;
  let parts = 0;
  let counted = 0;
  let before: Kind = "other";
  const kinds = new Set<Kind>();
  const characters = new Set<number>();
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const kind = kindOf(code);
    if (kind !== "other") {
      counted += 1;
      kinds.add(kind);
      characters.add(code);
      // A capital and the small letters behind it are one word.
      if (kind !== before && !(kind === "lower" && before === "upper")) parts += 1;
    }
    before = kind;
  }
  const isMixed = kinds.has("digit") && kinds.size > 1 && characters.size >= FEWEST_CHARACTERS;
  return isMixed && counted >= SHORTEST && counted / parts <= LONGEST_PART && !UUID.test(text);
}
