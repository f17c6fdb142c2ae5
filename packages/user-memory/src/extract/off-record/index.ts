import { clausesOf, plain } from "./clauses.ts";
import { PHRASES, SPACELESS } from "./lexicon.ts";
import { firstOf, matchesAt, type Phrase, parsePhrase } from "./phrase.ts";

const PREFIX = 3;
// Made on first use, so that importing the package doesn't wait for it.
let phrasesByFirst: ReadonlyMap<string, readonly Phrase[]> | undefined;

function indexPhrases(): ReadonlyMap<string, readonly Phrase[]> {
  const byFirst = new Map<string, Phrase[]>();
  for (const phrase of PHRASES.flatMap(phrasesIn)) {
    for (const first of firstOf(phrase)) {
      const key = keyOf(first);
      byFirst.set(key, [...(byFirst.get(key) ?? []), phrase]);
    }
  }
  return byFirst;
}

/** Of a lexicon: lines that name words, and phrases, in a line of their own or divided by ` ; `. */
function phrasesIn(lexicon: string): readonly Phrase[] {
  const named = new Map<string, string>();
  const phrases: Phrase[] = [];
  for (const line of plain(lexicon)
    .split(/\n| ; /u)
    .filter((text) => text !== "")) {
    const whole = line.replace(/\$(\w+)/gu, (_, name: string) => named.get(name) ?? "");
    const [, name, words] = /^(\w+) = (.+)$/u.exec(whole) ?? [];
    if (name === undefined || words === undefined) phrases.push(parsePhrase(whole));
    else named.set(name, words);
  }
  return phrases;
}

/**
 * Whether the user asks in this message that something is not remembered, saved, noted or passed on: `don't add this to
 * memory`, `unter uns`. A generous check of fifteen languages that errs towards not keeping; it doesn't say what is meant.
 */
export function asksNotToKeep(text: string): boolean {
  const message = plain(text);
  if (SPACELESS.some((form) => form.test(message))) return true;
  const clauses = clausesOf(message);
  const keys = new Set(clauses.flatMap((clause) => clause.flatMap(keysOf)));
  phrasesByFirst ??= indexPhrases();
  const byFirst = phrasesByFirst;
  const known = new Map<string, readonly Phrase[]>();
  const phrasesOf = (key: string): readonly Phrase[] => {
    const found = known.get(key) ?? (byFirst.get(key) ?? []).filter((phrase) => isPossible(phrase, keys));
    known.set(key, found);
    return found;
  };
  return clauses.some((clause) =>
    clause.some((word, at) =>
      keysOf(word).some((key) => phrasesOf(key).some((phrase) => matchesAt(clause, at, phrase))),
    ),
  );
}

function keyOf(word: string): string {
  return word.endsWith("*") ? `${word.slice(0, PREFIX)}*` : word;
}

const keysOf = (word: string): readonly string[] => [word, `${word.slice(0, PREFIX)}*`];

/** Whether each element of the phrase has a word in the message: in most messages few phrases are left to look for. */
const isPossible = ({ elements }: Phrase, keys: ReadonlySet<string>): boolean =>
  elements.every(
    ({ sign, words }) =>
      sign !== "word" || words.has("$") || [...words].some((word) => keys.has(keyOf(word))),
  );
