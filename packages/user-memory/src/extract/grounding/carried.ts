import { isContent, isSameWord, isSpecific, type Lookup, lookupIn, stemOf } from "./content.ts";
import { ANAPHORS, HARMLESS, NAMING, NEUTRAL, PEOPLE } from "./lexicon.ts";
import { operatorsIn, sameOperators } from "./operators.ts";
import { isInOrder, keepsRoles, type Match, numbersHold, signsHold, symbolsHold } from "./order.ts";
import { speaksOfItself, type Token } from "./person.ts";

export interface Carrying {
  /** The forms of all of the user's own words of the turn. */
  readonly turn: ReadonlySet<string>;
  /** How many neutral words the fact may add. */
  readonly added: 0 | 1;
}

/** A verb tells its subject among the first words of a fact. */
const VERB_WITHIN = 4;

/**
 * Whether words of the user's carry a fact: it says nothing that isn't there but for a neutral word, it is negated,
 * conditional or uncertain just as they are, and it says it of the same person, in the same part.
 */
export function isCarried(
  fact: readonly Token[],
  scope: readonly Token[],
  { turn, added }: Carrying,
): boolean {
  if (!sameOperators(operatorsIn(scope), operatorsIn(fact))) return false;
  if (!isOfSamePerson(fact, scope) || !symbolsHold(fact, scope)) return false;
  const matched = matchesOf(fact, scope, { turn, added });
  if (matched === undefined) return false;
  const { found, unsaid } = matched;
  if (found.length < (isNaming(unsaid, found, scope) ? 1 : Math.max(1, 2 * unsaid.length))) return false;
  const facts = lookupIn(fact, isSameWord);
  return (
    !isCutBefore(found, scope, facts) &&
    isInOrder(fact, found, scope) &&
    keepsRoles(fact, scope, { facts, found }) &&
    numbersHold(fact, scope) &&
    signsHold(fact, scope)
  );
}

interface Matched {
  readonly found: readonly Match[];
  readonly unsaid: readonly Token[];
}

/** Where the words of the fact were said; `undefined` as soon as there are more that weren't than may be added. */
function matchesOf(
  fact: readonly Token[],
  scope: readonly Token[],
  { turn, added }: Carrying,
): Matched | undefined {
  const said = lookupIn(scope, (ofFact, held) => isSameWord(held, ofFact));
  const hasAnaphor = scope.some(({ text }) => ANAPHORS.has(text));
  const found: Match[] = [];
  const unsaid: Token[] = [];
  for (const token of fact.filter(isContent)) {
    const at = said.find(token);
    if (at >= 0) found.push({ token, at });
    // A name that `it` or `that` in the scope may stand for.
    else if (!(hasAnaphor && isSpecific(token) && turn.has(token.form))) unsaid.push(token);
    if (unsaid.length > added || unsaid.some(({ text }) => !NEUTRAL.has(text))) return undefined;
  }
  return { found, unsaid };
}

/** What is said of the user isn't said of somebody else, and the other way round. */
function isOfSamePerson(fact: readonly Token[], scope: readonly Token[]): boolean {
  if (fact.some(({ person }) => person === "second")) return false;
  const isAboutUser = fact.some(({ person }) => person === "user");
  const isSaidOfUser = scope.some(
    (said) =>
      said.person === "user" || fact.slice(0, VERB_WITHIN).some((token) => speaksOfItself(said, token)),
  );
  if (isAboutUser && !isSaidOfUser) return false;
  const people = fact.filter(({ text }) => PEOPLE.has(text));
  const isOnlyAboutUser = people.length === 0 && !fact.some((token) => isSpecific(token) && token.start > 0);
  if (isOnlyAboutUser && scope.some(({ person }) => person === "third")) return false;
  const named = new Set(people.flatMap((token) => [token.form, stemOf(token)]));
  return scope.every((said) => !PEOPLE.has(said.text) || named.has(said.form) || named.has(stemOf(said)));
}

/** Whether the fact adds that somebody is called what they say they are: `I'm Anna`. */
function isNaming(added: readonly Token[], found: readonly Match[], scope: readonly Token[]): boolean {
  const [first] = found;
  if (first === undefined || !added.every(({ text }) => NAMING.has(text))) return false;
  const [before, verb] = [scope[first.at - 2], scope[first.at - 1]];
  if (verb === undefined || !isSpecific(first.token)) return false;
  return (
    NAMING.has(verb.text) ||
    (verb.form === "be" && (before?.person === "user" || NAMING.has(before?.text ?? "")))
  );
}

/** Whether something was said before what the fact takes up, that it leaves out: who, or that it is only a plan. */
function isCutBefore(found: readonly Match[], scope: readonly Token[], facts: Lookup): boolean {
  const first = Math.min(...found.map(({ at }) => at));
  return scope
    .slice(0, first)
    .some(
      (said) =>
        isContent(said) && !HARMLESS.has(said.text) && !NEUTRAL.has(said.text) && facts.find(said) < 0,
    );
}
