import { isContent, isSameWord, lookupIn } from "./content.ts";
import { HARMLESS, PEOPLE, SUBJECT } from "./lexicon.ts";
import { operatorsIn, sameOperators } from "./operators.ts";
import { speaksOfItself, type Token } from "./person.ts";
import { governs, isRunAt, OWN_QUESTION, takesBack } from "./stated.ts";
import { bearingOn } from "./surroundings.ts";
import type { Segment, Sentence } from "./utterance.ts";

/** A clause tells its subject among its first words. */
const SUBJECT_WITHIN = 4;

/**
 * What may carry a fact: each clause that the evidence touches, and all of them. Where a clause reaches into others, the whole
 * sentence alone; where one takes back what was said, nothing; of a question, only what stands before what is asked.
 */
export function scopesIn(
  { segments, isQuestion }: Sentence,
  words: ReadonlySet<Token>,
): readonly (readonly Token[])[] {
  const clauses = clausesOf(segments);
  if (isQuestion && (clauses.at(-1)?.length ?? 0) < OWN_QUESTION) return [];
  if (segments.slice(1).some(takesBack)) return [];
  const declared = isQuestion ? clauses.slice(0, -1) : clauses;
  if (segments.some(governs)) return [declared.flat()];
  const touched = declared.filter((clause) => clause.some((word) => words.has(word)));
  return touched.length > 1 ? [...touched, touched.flat()] : touched;
}

/** Whether nothing in a sentence but what a fact takes up makes of it somebody else's word. */
export function isUndisturbed(fact: readonly Token[], scope: readonly Token[], sentence: Sentence): boolean {
  const facts = lookupIn(fact.filter(isContent), isSameWord);
  const inScope = new Set(scope);
  const taken = new Set(
    sentence.segments.filter((segment) =>
      segment.some((said) => inScope.has(said) && isContent(said) && facts.find(said) >= 0),
    ),
  );
  const others = sentence.segments.filter((segment) => !taken.has(segment));
  const isNamed = [...taken].some((segment) => segment.some(({ person }) => person === "user"));
  const isImplied =
    others.every((segment) => segment.every(({ text }) => HARMLESS.has(text))) &&
    scope.some((said) => fact.slice(0, SUBJECT_WITHIN).some((token) => speaksOfItself(said, token)));
  return (
    bearingOn({ isIn: (segment) => taken.has(segment), isOfUser: isNamed || isImplied }, sentence) !==
    "foreign"
  );
}

/** Segments that have no subject of their own belong to the one before. */
function clausesOf(segments: readonly Segment[]): readonly (readonly Token[])[] {
  const clauses: Token[][] = [];
  for (const segment of segments) {
    const before = clauses.at(-1);
    const hasSubject = segment.slice(0, SUBJECT_WITHIN).some(({ person }) => person !== undefined);
    if (before === undefined || hasSubject) clauses.push([...segment]);
    else before.push(...segment);
  }
  return clauses;
}

const AND = new Set(["and", "und", "et", "y"]);

/**
 * Whether a sentence goes on with the fact, its subject left out, word for word: `I'm 34 and work at Siemens`. The clause
 * before has to be the user's, and nothing in it may reach further.
 */
export function isContinued(fact: readonly Token[], sentence: Sentence): boolean {
  const { segments, isQuestion } = sentence;
  const [subject, ...predicate] = fact;
  if (subject?.person !== "user" || predicate.length < 2 || isQuestion) return false;
  if (segments.some(governs) || segments.slice(1).some(takesBack)) return false;
  return segments.some((segment, index) => {
    const before = segments[index - 1];
    if (before === undefined || !AND.has(segment[0]?.text ?? "") || !isOfUser(before)) return false;
    if (!isRunAt(predicate, segment, 1)) return false;
    const part = { isIn: (one: Segment) => one === segment || one === before, isOfUser: true };
    return (
      bearingOn(part, sentence) !== "foreign" &&
      sameOperators(operatorsIn(segment.slice(1)), operatorsIn(fact))
    );
  });
}

function isOfUser(segment: Segment): boolean {
  const tokens = segment.filter(({ text }) => !HARMLESS.has(text));
  const [subject, , object] = tokens;
  const reaches = operatorsIn(segment);
  return (
    subject !== undefined &&
    SUBJECT.has(subject.text) &&
    !tokens.some(({ text, person }) => PEOPLE.has(text) || person === "third") &&
    object?.capital !== true &&
    !["negated", "ended", "conditional", "uncertain", "intended"].some((operator) =>
      reaches.has(operator as never),
    )
  );
}
