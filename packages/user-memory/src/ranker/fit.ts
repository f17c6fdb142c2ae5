import { isFirstPerson, wordKinds } from "./common-words.ts";
import type { Query } from "./query.ts";
import type { Reasons } from "./ranker.ts";
import type { Matches } from "./term-index.ts";

/** How much a rare word counts that occurs in messages about any topic. Other rare words count 1. */
const COMMON = 0.4;
/** How much a word counts at least that isn't common, however many of the user's documents contain it. */
const SPECIFIC = 0.6;
/** How much an item must match a query in the first person: one common word that few documents contain is enough. */
const LEAST_OF_OWN = 0.35;
/** How much an item must match another query, e.g. by a specific word that few documents contain. */
const LEAST = 0.9;
/** Minimum share of a query in the first person that an item must match. Smaller for a broad request. */
const SHARE_OF_OWN = 0.15;
/** Minimum share of another query that an item must match. Smaller for a broad request. */
const SHARE = 0.25;
/** By how much a query of full {@link Query.breadth} lowers the minimum share. */
const BROADER = 0.8;

/** Whether an item matches a query so well that a model can be shown it unasked. */
export type Fits = (reasons: Pick<Reasons, "terms" | "author" | "date">) => boolean;

/**
 * Returns the function that tells which items fit a user's message. `query` is the message without pasted text.
 * `matches` are the matches of the whole message.
 */
export function createFits({ words, spoken, breadth }: Query, matches: Matches): Fits {
  const kindOf = wordKinds(spoken);
  const asked = [...words].flatMap(([term, { forms }]) => (forms.length === 0 ? [] : term));
  const rarityOf = rarities(asked, matches);
  const specific = new Set<string>();
  const [whole, matched] = [new Map<string, number>(), new Map<string, number>()];
  for (const term of asked) {
    const kind = kindOf(term);
    const rarity = rarityOf.get(term) ?? 0;
    if (kind === "connecting") continue;
    const isSpecific = kind === "specific";
    if (isSpecific) specific.add(term);
    whole.set(term, isSpecific ? 1 : COMMON);
    matched.set(term, isSpecific ? Math.max(SPECIFIC, rarity) : COMMON * rarity);
  }
  const isOwn = spoken.some(isFirstPerson);
  const share = (isOwn ? SHARE_OF_OWN : SHARE) * (1 - BROADER * breadth);
  const least = Math.max(isOwn ? LEAST_OF_OWN : LEAST, share * sum(whole.values()));
  // "What about the zebra?" asks for zebras, even if every fact is about them.
  const isWhole = (terms: readonly string[]) =>
    (isOwn || terms.some((term) => specific.has(term))) &&
    whole.size > 0 &&
    [...whole.keys()].every((term) => terms.includes(term));
  return ({ terms, author, date }) =>
    author > 1 ||
    isWhole(terms) ||
    sum(terms.map((term) => matched.get(term) ?? 0)) + (date > 0 ? COMMON : 0) >= least;
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Returns the rarity of each term, as a share of the rarity of a term that one document contains. */
function rarities(
  terms: readonly string[],
  { size, documents, holders }: Matches,
): ReadonlyMap<string, number> {
  const held = new Map<string, number>(terms.map((term) => [term, holders?.get(term) ?? 0]));
  for (const document of holders === undefined ? documents : []) {
    const own = new Set(document.terms.map(({ term }) => term.replace(/^\?/, "")));
    for (const term of own) {
      const count = held.get(term);
      if (count !== undefined) held.set(term, count + 1);
    }
  }
  const rarity = (count: number) => Math.log(1 + (size - count + 0.5) / (count + 0.5));
  return new Map(Array.from(held, ([term, count]) => [term, rarity(count) / rarity(1)]));
}
