import { isContent, isSameWord, isSpecific, type Lookup } from "./content.ts";
import { COMPARING, HARMLESS, NAMING, NEUTRAL, NEUTRAL_VERBS } from "./lexicon.ts";
import { speaksOfItself, type Token } from "./person.ts";

const SUBJECT_WITHIN = 4;
const VERB_FORMS = ["be", "was", "have"];

/** A word of the fact and where in the scope it stands. */
export interface Match {
  readonly token: Token;
  readonly at: number;
}

/** Names keep their order, and the speaker's place among them; beside a comparison, every word does. */
export function isInOrder(fact: readonly Token[], found: readonly Match[], scope: readonly Token[]): boolean {
  const isCompared = scope.some(({ text }) => COMPARING.has(text));
  const ordered = found.filter(
    ({ token }) => isCompared || (isSpecific(token) && !/\p{N}/u.test(token.text)),
  );
  const userInFact = fact.findIndex(({ person }) => person === "user");
  const user = fact[userInFact];
  const userSaid = scope.findIndex(
    ({ person, text }) => person === "user" && (user?.role !== "object" || text === user.text),
  );
  const isBeside = (token: Token): boolean =>
    user?.role === "owner" && Math.abs(fact.indexOf(token) - userInFact) === 1;
  const isUserKept =
    userSaid < 0 ||
    userInFact < 0 ||
    ordered.every(
      ({ token, at }) =>
        !token.capital || isBeside(token) || fact.indexOf(token) > userInFact === at > userSaid,
    );
  return isUserKept && ordered.every(({ at }, index) => index === 0 || (ordered[index - 1]?.at ?? 0) <= at);
}

interface Taken {
  /** The words of the fact. */
  readonly facts: Lookup;
  readonly found: readonly Match[];
}

/**
 * Who does something in the fact did it in what was said. A verb that the fact adds, `has` or `works`, stands in for none that
 * it leaves out.
 */
export function keepsRoles(
  fact: readonly Token[],
  scope: readonly Token[],
  { facts, found }: Taken,
): boolean {
  const isUnused = (said: Token): boolean =>
    isContent(said) && !HARMLESS.has(said.text) && !NEUTRAL.has(said.text) && facts.find(said) < 0;
  const isAdded = fact.some(
    ({ text, form }) =>
      (NEUTRAL_VERBS.has(text) || VERB_FORMS.includes(form)) && !scope.some((said) => said.form === form),
  );
  if (fact[0]?.person === "user" && fact[0].role !== "owner" && !isSubjectIn(scope, fact, isAdded)) {
    return false;
  }
  if (!isAdded) return true;
  const last = Math.max(...found.map(({ at }) => at));
  const isVerbLeftOut = scope.some(({ role }, at) => {
    const next = scope.slice(at + 1).find((said) => isContent(said) && !HARMLESS.has(said.text));
    return role === "subject" && next !== undefined && isUnused(next);
  });
  return !isVerbLeftOut && !scope.slice(0, last).some(isUnused);
}

/** `I`; or `my`, of what the user has, or is called. */
function isSubjectIn(scope: readonly Token[], fact: readonly Token[], isAdded: boolean): boolean {
  const isNamed = [scope, fact].every((tokens) => tokens.some(({ text }) => NAMING.has(text)));
  return scope.some(
    (said) =>
      said.role === "subject" ||
      ((isAdded || isNamed) && said.role === "owner") ||
      fact.slice(0, SUBJECT_WITHIN).some((token) => speaksOfItself(said, token)),
  );
}

const SYMBOL = /^(?:\p{Sm}|!=+|[-\u2212])$/u;

/** `500` isn't `< 500`: what was calculated or compared is so in the fact. */
export function symbolsHold(fact: readonly Token[], scope: readonly Token[]): boolean {
  const symbolsIn = (tokens: readonly Token[]): string =>
    tokens.flatMap(({ text }) => (SYMBOL.test(text) ? [text] : [])).join(" ");
  return symbolsIn(fact) === symbolsIn(scope);
}

/** A number belongs to the word behind it, or to the `in` or `since` before it. */
export function numbersHold(fact: readonly Token[], scope: readonly Token[]): boolean {
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
export function signsHold(fact: readonly Token[], scope: readonly Token[]): boolean {
  const pairs = new Set(scope.map(({ text }, index) => `${text}${scope[index + 1]?.text ?? ""}`));
  return fact.every((token, index) => {
    const next = fact[index + 1];
    const isPair =
      token.sign && next?.sign === true && isContent(token) && isContent(next) && next.start === token.end;
    return !isPair || pairs.has(`${token.text}${next.text}`);
  });
}
