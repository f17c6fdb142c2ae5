import { stem } from "../../recall/stemmer.ts";
import { isStopWord } from "../../recall/stop-words.ts";
import { BINDING, FUNCTION_WORDS } from "./lexicon.ts";
import { isInflected, type Token } from "./person.ts";

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
export const isSpecific = ({ text, capital }: Token): boolean => capital || /[\p{N}\p{Sc}\p{So}]/u.test(text);

/** Whether two words are forms of one. */
export function isSameWord(said: Token, ofFact: Token): boolean {
  if (said.form === ofFact.form) return true;
  if (said.sign || ofFact.sign || /\p{N}/u.test(said.text + ofFact.text)) return false;
  if (said.capital && ofFact.capital)
    return `${said.text}s` === ofFact.text || said.text === `${ofFact.text}s`;
  if (stem(said.text) === stem(ofFact.text) || isInflected(said.text, ofFact.text)) return true;
  return /[^a-z]/.test(said.text + ofFact.text) && shareStem(said.text, ofFact.text);
}

function shareStem(a: string, b: string): boolean {
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a[shared] === b[shared]) shared += 1;
  return shared >= LEAST_STEM && Math.max(a.length, b.length) - shared <= MOST_ENDING;
}
