import { HARMLESS, OPINION, SUBJECT } from "./lexicon.ts";
import { operatorsIn, sameOperators } from "./operators.ts";
import { isSameButForPerson, speaksOfItself, type Token } from "./person.ts";
import { bearingOn } from "./surroundings.ts";
import type { Segment, Sentence } from "./utterance.ts";

/** So many words of a question behind a statement make it one of its own, and no `right?` that takes it back. */
export const OWN_QUESTION = 4;
/** Words that differ in their ending. */
const MAX_INFLECTED = 3;
const REPORTS = [
  "say",
  "says",
  "said",
  "state",
  "states",
  "stated",
  "mentions",
  "mentioned",
  "sagt",
  "sagte",
  "dit",
  "dice",
];
const ALTERNATIVE = new Set(["or", "oder", "ou", "o", "u"]);

/** A sentence that says a fact more often was made to. */
const MAX_RUNS = 8;

/**
 * Whether a sentence says a fact, word for word but for person: as a whole clause, with nothing before or behind it that
 * could change what it says.
 */
export function isStated(fact: readonly Token[], sentence: Sentence): boolean {
  const wanted = withoutReport(fact);
  if (wanted.length === 0 || wanted.some(({ person }) => person === "second")) return false;
  const { words } = sentence;
  const isUnnamed = wanted[0]?.person === "user";
  const withoutSubject = wanted.slice(1);
  let runs = 0;
  return words.some((said, at) => {
    const [verb] = withoutSubject;
    const isOfUser = isUnnamed && verb !== undefined && speaksOfItself(said, verb);
    const rest = isOfUser ? withoutSubject : wanted;
    if (runs >= MAX_RUNS || !isRunAt(rest, words, at)) return false;
    runs += 1;
    return isWhole({ wanted: rest, isOfUser }, sentence, at);
  });
}

/** Without a leading `the user says that`. */
function withoutReport(fact: readonly Token[]): readonly Token[] {
  const [first, second, third] = fact;
  if (first?.person !== "user" || second === undefined || !REPORTS.includes(second.text)) return fact;
  return fact.slice(third !== undefined && ["that", "dass", "que"].includes(third.text) ? 3 : 2);
}

/** Whether words that follow each other say what is wanted, word for word but for person. */
export function isRunAt(wanted: readonly Token[], said: readonly Token[], at: number): boolean {
  let inflected = 0;
  return wanted.every((token, index) => {
    const other = said[at + index];
    if (other === undefined || !isSameButForPerson(other, token)) return false;
    if (other.person === undefined && other.form !== token.form) inflected += 1;
    return inflected <= MAX_INFLECTED;
  });
}

/** What is to be found, and whether its verb says that it is of the speaker, as in `vivo`. */
interface Run {
  readonly wanted: readonly Token[];
  readonly isOfUser: boolean;
}

function isWhole({ wanted, isOfUser }: Run, sentence: Sentence, at: number): boolean {
  const { words, segments } = sentence;
  const end = at + wanted.length;
  const starts = startsOf(segments);
  const first = starts.findLastIndex((start) => start <= at);
  const last = starts.findLastIndex((start) => start < end);
  const begin = starts[first] ?? 0;
  const close = starts[last + 1] ?? words.length;
  const isAboutUser = isOfUser || words.slice(at, end).some(({ person }) => person === "user");
  const prefix = words.slice(begin, at);
  const isOpen = prefix.every(
    ({ text, person }, index) =>
      HARMLESS.has(text) || (!isAboutUser && person === "user" && index === prefix.length - 1),
  );
  const hasSubject = isAboutUser || prefix.at(-1)?.person === "user";
  const own = new Set(segments.slice(first, last + 1));
  return (
    isOpen &&
    words.slice(end, close).every(({ text }) => HARMLESS.has(text)) &&
    hasOwnSubject(wanted, { hasSubject, isFirst: first === 0 }) &&
    !segments.slice(0, first).some(governs) &&
    !segments.slice(last + 1).some(takesBack) &&
    bearingOn({ isIn: (segment) => own.has(segment), isOfUser: hasSubject }, sentence) === "none" &&
    !(sentence.isQuestion && !isBeforeQuestion(sentence, { hasSubject, last })) &&
    sameOperators(operatorsIn(words.slice(begin, close)), operatorsIn(wanted))
  );
}

function startsOf(segments: readonly Segment[]): readonly number[] {
  let next = 0;
  return segments.map(({ length }) => {
    next += length;
    return next - length;
  });
}

/** What continues an earlier clause has its subject, and its `not`, from there. Of a third person, a fact must say whom. */
function hasOwnSubject(
  wanted: readonly Token[],
  { hasSubject, isFirst }: { readonly hasSubject: boolean; readonly isFirst: boolean },
): boolean {
  if (hasSubject) return true;
  return isFirst && wanted[0]?.person === undefined;
}

/** Whether a clause reaches into those behind it: a condition, or what somebody thinks or says. */
export const governs = (segment: Segment): boolean =>
  operatorsIn(segment).has("conditional") || segment.some(({ text }) => OPINION.has(text));

/** Whether a clause changes what was said before it: `if I win`, `said Bob`, `not`. */
export function takesBack(segment: Segment): boolean {
  const operators = operatorsIn(segment);
  if (operators.has("conditional")) return true;
  const others = segment.filter(({ text }) => !HARMLESS.has(text));
  if (operators.has("negated") && others.length <= 1) return true;
  const isReport = others.length <= 3 && others.some(({ text }) => OPINION.has(text));
  return isReport && !segment.some(({ text }) => SUBJECT.has(text));
}

function isBeforeQuestion(
  { segments }: Sentence,
  { hasSubject, last }: { readonly hasSubject: boolean; readonly last: number },
): boolean {
  const rest = segments.slice(last + 1).flat();
  return hasSubject && rest.length >= OWN_QUESTION && !ALTERNATIVE.has(rest[0]?.text ?? "");
}
