import { stem } from "../../recall/stemmer.ts";
import { isStopWord } from "../../recall/stop-words.ts";
import { BINDING, FUNCTION_WORDS } from "./lexicon.ts";
import { basesOf, isInflected, type Token } from "./person.ts";

/** Languages that inflect share at least so much of a word. */
const LEAST_STEM = 4;
const MOST_ENDING = 3;

/** Whether a word says something by itself, or binds what another says. */
export function isContent({ text, person, capital }: Token): boolean {
  if (person !== undefined) return false;
  // `C`, or the `B` of a plan.
  if (capital && text.length === 1) return true;
  if (BINDING.has(text)) return true;
  return !isStopWord(text) && !FUNCTION_WORDS.has(text);
}

/** A name, a number or the like, of which no other form means the same. */
export const isSpecific = ({ text, capital }: Token): boolean =>
  capital || /[\p{N}\p{Sc}\p{So}\p{Sm}]/u.test(text);

const STEMS = new WeakMap<Token, string>();

/** Without its ending, as in recall; found once, for a word is compared with many. */
export function stemOf(token: Token): string {
  const known = STEMS.get(token) ?? stem(token.text);
  STEMS.set(token, known);
  return known;
}

/** Whether two words are forms of one. */
export function isSameWord(said: Token, ofFact: Token): boolean {
  if (said.form === ofFact.form) return true;
  if (said.sign || ofFact.sign || /\p{N}/u.test(said.text + ofFact.text)) return false;
  if (said.capital && ofFact.capital)
    return `${said.text}s` === ofFact.text || said.text === `${ofFact.text}s`;
  if (stemOf(said) === stemOf(ofFact) || isInflected(said.text, ofFact.text)) return true;
  return /[^a-z]/.test(said.text + ofFact.text) && shareStem(said.text, ofFact.text);
}

function shareStem(a: string, b: string): boolean {
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a[shared] === b[shared]) shared += 1;
  return shared >= LEAST_STEM && Math.max(a.length, b.length) - shared <= MOST_ENDING;
}

/** What words are found by: those that are {@link isSameWord} share a key. */
function keysOf(token: Token): readonly string[] {
  const { form, text, sign } = token;
  if (sign || /\p{N}/u.test(text)) return [`=${form}`];
  const keys = [`=${form}`, `~${stemOf(token)}`, ...basesOf(text).map((base) => `-${base}`)];
  for (let end = Math.max(LEAST_STEM, text.length - MOST_ENDING); end <= text.length; end++) {
    keys.push(`^${text.slice(0, end)}`);
  }
  return keys;
}

/** Different words under one key; a text that has more was made to have them. */
const MAX_ALIKE = 4;

/** Finds words among many without comparing each with each. */
export interface Lookup {
  /** Index of the first word that is, or was said as, the same; `-1` if there is none. */
  readonly find: (token: Token) => number;
}

/** Over the words said, or over those of a fact: `isSame` takes what is looked for first. */
export function lookupIn(tokens: readonly Token[], isSame: (sought: Token, held: Token) => boolean): Lookup {
  const places = new Map<string, number[]>();
  const seen = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const word = `${token.capital ? "C" : "c"}${token.text}`;
    if (seen.has(word)) continue;
    seen.add(word);
    for (const key of keysOf(token)) {
      const known = places.get(key);
      if (known === undefined) places.set(key, [at]);
      else if (known.length < MAX_ALIKE) known.push(at);
    }
  }
  const find = (sought: Token): number => {
    const candidates = keysOf(sought).flatMap((key) => places.get(key) ?? []);
    const found = candidates.filter((at) => {
      const held = tokens[at];
      return held !== undefined && isSame(sought, held);
    });
    return found.length === 0 ? -1 : Math.min(...found);
  };
  return { find };
}
