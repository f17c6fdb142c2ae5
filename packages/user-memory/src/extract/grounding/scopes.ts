import { HARMLESS, PEOPLE } from "./lexicon.ts";
import { operatorsIn, sameOperators } from "./operators.ts";
import { type Token, tokensSaid } from "./person.ts";
import { governs, isRunAt, OWN_QUESTION, takesBack } from "./stated.ts";
import type { Segment, Sentence } from "./utterance.ts";
import type { Word } from "./words.ts";

/** A clause tells its subject among its first words. */
const SUBJECT_WITHIN = 4;

/**
 * What may carry a fact: each clause that the evidence touches, and all of them. Where a clause reaches into others, the whole
 * sentence alone; where one takes back what was said, nothing; of a question, only what stands before what is asked.
 */
export function scopesIn(
  { segments, isQuestion }: Sentence,
  words: readonly Word[],
): readonly (readonly Word[])[] {
  const clauses = clausesOf(segments);
  if (isQuestion && (clauses.at(-1)?.length ?? 0) < OWN_QUESTION) return [];
  if (segments.slice(1).some(takesBack)) return [];
  const declared = isQuestion ? clauses.slice(0, -1) : clauses;
  if (segments.some(governs)) return [declared.flat()];
  const touched = declared.filter((clause) => clause.some((word) => words.includes(word)));
  return touched.length > 1 ? [...touched, touched.flat()] : touched;
}

/** Segments that have no subject of their own belong to the one before. */
function clausesOf(segments: readonly Segment[]): readonly (readonly Word[])[] {
  const clauses: Word[][] = [];
  for (const segment of segments) {
    const before = clauses.at(-1);
    const hasSubject = tokensSaid(segment.slice(0, SUBJECT_WITHIN)).some(
      ({ person }) => person !== undefined,
    );
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
export function isContinued(fact: readonly Token[], { segments, isQuestion }: Sentence): boolean {
  const [subject, ...predicate] = fact;
  if (subject?.person !== "user" || predicate.length < 2 || isQuestion) return false;
  if (segments.some(governs) || segments.slice(1).some(takesBack)) return false;
  return segments.some((segment, index) => {
    const before = segments[index - 1];
    if (before === undefined || !AND.has(segment[0]?.text ?? "") || !isOfUser(before)) return false;
    const said = tokensSaid(segment.slice(1));
    return isRunAt(predicate, said, 0) && sameOperators(operatorsIn(said), operatorsIn(fact));
  });
}

function isOfUser(segment: Segment): boolean {
  const tokens = tokensSaid(segment).filter(({ text }) => !HARMLESS.has(text));
  const [subject, , object] = tokens;
  const reaches = operatorsIn(segment);
  return (
    subject?.person === "user" &&
    !tokens.some(({ text, person }) => PEOPLE.has(text) || person === "third") &&
    object?.capital !== true &&
    !["negated", "ended", "conditional", "uncertain", "intended"].some((operator) =>
      reaches.has(operator as never),
    )
  );
}
