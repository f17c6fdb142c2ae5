import { isContent, isSameWord, isSpecific } from "./content.ts";
import { ANAPHORS, COMPARING, HARMLESS, NAMING, NEUTRAL, PEOPLE } from "./lexicon.ts";
import { operatorsIn, sameOperators } from "./operators.ts";
import { speaksOfItself, type Token, tokensSaid } from "./person.ts";
import type { Word } from "./words.ts";

export interface Carrying {
  /** All of the user's own words of the turn. */
  readonly turn: readonly Token[];
  /** How many neutral words the fact may add. */
  readonly added: 0 | 1;
}

/** A word of the fact and where in the scope it stands. */
interface Match {
  readonly token: Token;
  readonly at: number;
}

/**
 * Whether words of the user's carry a fact: it says nothing that isn't there but for a neutral word, it is negated,
 * conditional or uncertain just as they are, and it says it of the same person.
 */
export function isCarried(
  fact: readonly Token[],
  words: readonly Word[],
  { turn, added }: Carrying,
): boolean {
  const scope = tokensSaid(words);
  if (!sameOperators(operatorsIn(words), operatorsIn(fact))) return false;
  if (!isOfSamePerson(fact, scope)) return false;
  const content = fact.filter(isContent);
  const matches = content.map((token) => ({ token, at: scope.findIndex((said) => isSameWord(said, token)) }));
  const found = matches.filter(({ at }) => at >= 0);
  const missing = matches.filter(({ at }) => at < 0).map(({ token }) => token);
  const named = missing.filter((token) => isNamedElsewhere(token, scope, turn));
  const unsaid = missing.filter((token) => !named.includes(token));
  if (unsaid.length > added || !unsaid.every(({ text }) => NEUTRAL.has(text))) return false;
  if (found.length < (isNaming(unsaid, found, scope) ? 1 : Math.max(1, 2 * unsaid.length))) return false;
  return (
    !isCutBefore(found, scope, fact) &&
    isInOrder(found, scope) &&
    numbersHold(fact, scope) &&
    signsHold(fact, scope)
  );
}

/** What is said of the user isn't said of somebody else, and the other way round. */
function isOfSamePerson(fact: readonly Token[], scope: readonly Token[]): boolean {
  if (fact.some(({ person }) => person === "second")) return false;
  const isAboutUser = fact.some(({ person }) => person === "user");
  const isSaidOfUser = scope.some(
    (said) => said.person === "user" || fact.some((token) => speaksOfItself(said, token)),
  );
  if (isAboutUser && !isSaidOfUser) return false;
  const people = fact.filter(({ text }) => PEOPLE.has(text));
  const isOnlyAboutUser = people.length === 0 && !fact.some((token) => isSpecific(token) && token.start > 0);
  if (isOnlyAboutUser && scope.some(({ person }) => person === "third")) return false;
  return scope.every((said) => !PEOPLE.has(said.text) || people.some((token) => isSameWord(said, token)));
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

/** A name that `it` or `that` in the scope may stand for. */
const isNamedElsewhere = (token: Token, scope: readonly Token[], turn: readonly Token[]): boolean =>
  isSpecific(token) &&
  scope.some(({ text }) => ANAPHORS.has(text)) &&
  turn.some(({ form }) => form === token.form);

/** Whether something was said before what the fact takes up, that it leaves out: who, or that it is only a plan. */
function isCutBefore(found: readonly Match[], scope: readonly Token[], fact: readonly Token[]): boolean {
  const first = Math.min(...found.map(({ at }) => at));
  return scope.slice(0, first).some((said) => {
    if (!isContent(said) || HARMLESS.has(said.text) || NEUTRAL.has(said.text)) return false;
    return !fact.some((token) => isSameWord(said, token));
  });
}

/** Names keep their order; beside a comparison, every word does. */
function isInOrder(found: readonly Match[], scope: readonly Token[]): boolean {
  const isCompared = scope.some(({ text }) => COMPARING.has(text));
  const ordered = found.filter(
    ({ token }) => isCompared || (isSpecific(token) && !/\p{N}/u.test(token.text) && token.start > 0),
  );
  return ordered.every(({ at }, index) => index === 0 || (ordered[index - 1]?.at ?? 0) <= at);
}

/** A number belongs to the word behind it, or to the `in` or `since` before it. */
function numbersHold(fact: readonly Token[], scope: readonly Token[]): boolean {
  return fact.every((token, index) => {
    if (!/\p{N}/u.test(token.text)) return true;
    const isAt = (at: number): boolean =>
      scope[at]?.form === token.form &&
      (agree(scope[at + 1], fact[index + 1]) || agree(scope[at - 1], fact[index - 1]));
    return scope.some((_, at) => isAt(at));
  });
}

const agree = (said: Token | undefined, ofFact: Token | undefined): boolean =>
  said !== undefined && ofFact !== undefined && isSameWord(said, ofFact);

/** In scripts without spaces a word is several signs: those that stand together in the fact stood together. */
function signsHold(fact: readonly Token[], scope: readonly Token[]): boolean {
  const pairs = new Set(scope.map(({ text }, index) => `${text}${scope[index + 1]?.text ?? ""}`));
  return fact.every((token, index) => {
    const next = fact[index + 1];
    const isPair =
      token.sign && next?.sign === true && isContent(token) && isContent(next) && next.start === token.end;
    return !isPair || pairs.has(`${token.text}${next.text}`);
  });
}
