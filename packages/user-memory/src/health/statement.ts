import type { UserFact } from "../fact.ts";
import { fold, isStopWord, stem, tokenize } from "../ranker/index.ts";

/** Longer texts are read up to here. */
const TEXT_LIMIT = 2_000;

/** What a fact states, in a form that other facts can be compared with. */
export interface Statement {
  readonly fact: UserFact;
  /** The text in lower case, without accents and without `the user`. */
  readonly text: string;
  /** The stems of the words that matter, without negations, in order. */
  readonly sequence: readonly string[];
  readonly terms: ReadonlySet<string>;
  /** Number of negations. */
  readonly negations: number;
  /** The prepositions before the stems, where they tell directions: `from` and `to`. */
  readonly directions: ReadonlyMap<string, string>;
  /** The word before each stem. */
  readonly preceding: ReadonlyMap<string, string>;
  /** The stems of the words with a capital letter, without the first word. */
  readonly names: ReadonlySet<string>;
  /** The words for time and certainty, e.g. `used to` and `might`. */
  readonly modality: string;
  /** The stems in past forms such as `worked`. Participles such as `is called` aren't among them. */
  readonly past: ReadonlySet<string>;
}

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Words that say little: facts that differ only in these state the same. */
const LIGHT = words(`
own owns owned call calls called name names named take takes keep keeps kept go goes currently now each
together also always
`);
/** Facts are about the user, whether they say so or not. */
const SUBJECT = /^(?:the )?user(?:'s)?\b|\bthe user(?:'s)?\b/g;
const DIRECTIONS = words("from to into than before after until without over under against with for");
const MODALITY =
  /\b(?:used to|formerly|previously|no longer|any ?more|was|were|will|would|might|(?<!\d(?:st|nd|rd|th)? (?:of )?)may(?! \d)|could|should|if|when|except|unless)\b/g;
const PARTICIPLE = words("is are am be been being get gets got has have had im s ve");
const NUMBERS: Readonly<Record<string, string>> = { one: "1", twice: "2" };

/** Reads what a fact states. Returns `undefined` for an answer that says little without its question. */
export function readStatement(fact: UserFact): Statement | undefined {
  if (fact.quotation?.question !== undefined) return undefined;
  const original = fact.fact.slice(0, TEXT_LIMIT);
  const text = fold(original).replace(SUBJECT, " ").trim();
  const sequence: string[] = [];
  const directions = new Map<string, string>();
  const preceding = new Map<string, string>();
  const past = new Set<string>();
  let negations = 0;
  let direction: string | undefined;
  let before = "";
  for (const word of tokenize(text)) {
    const term = NUMBERS[word] ?? stem(word);
    if (term === "not") {
      negations += 1;
      continue;
    }
    if (DIRECTIONS.has(word)) direction = word;
    else if (NUMBERS[word] !== undefined || !(isStopWord(word) || LIGHT.has(word))) {
      sequence.push(term);
      if (!preceding.has(term)) preceding.set(term, before);
      if (direction !== undefined && !directions.has(term)) directions.set(term, direction);
      if (word.endsWith("ed") && !PARTICIPLE.has(before)) past.add(term);
      direction = undefined;
    }
    before = word;
  }
  return {
    ...{ fact, text, sequence, negations, directions, preceding, past },
    terms: new Set(sequence),
    names: namesIn(original),
    modality: (text.match(MODALITY) ?? []).join(" "),
  };
}

function namesIn(original: string): ReadonlySet<string> {
  const capitals = [...original.matchAll(/\p{Lu}[\p{L}\p{N}\p{M}]*/gu)].filter(({ index }) => index > 0);
  return new Set(capitals.flatMap(([word]) => tokenize(word)).map(stem));
}

/** Whether two statements speak of the same time, and don't swap what their words refer to. */
export function agree(a: Statement, b: Statement): boolean {
  if (a.modality !== b.modality) return false;
  for (const term of a.past) if (b.terms.has(term) && !b.past.has(term)) return false;
  for (const term of b.past) if (a.terms.has(term) && !a.past.has(term)) return false;
  for (const [term, direction] of a.directions)
    if ((b.directions.get(term) ?? direction) !== direction) return false;
  return !isSwapped(a, b);
}

/** Whether names change places: "Anna knows Tom" and "Tom knows Anna", but not "from Rome to Oslo" and "to Oslo from Rome". */
function isSwapped(a: Statement, b: Statement): boolean {
  const named = ({ sequence }: Statement) =>
    [...new Set(sequence)].filter(
      (term) => (a.names.has(term) || b.names.has(term)) && a.terms.has(term) && b.terms.has(term),
    );
  const [first, second] = [named(a), named(b)];
  const moved = first.filter((term, index) => second[index] !== term);
  if (moved.length === 0 || (LISTING.test(a.text) && LISTING.test(b.text))) return false;
  return !moved.every((term) => a.preceding.get(term) === b.preceding.get(term));
}

const LISTING = /,|\b(?:and|or|und|oder|y|o|et|ou|e|en)\b/;
