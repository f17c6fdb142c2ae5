import { isSpecific } from "./content.ts";
import {
  ARTICLES,
  ASKING,
  BINDING,
  COORDINATING,
  HARMLESS,
  NAMING,
  NEUTRAL,
  OPINION,
  PEOPLE,
  SUBJECT,
} from "./lexicon.ts";
import { operatorsIn } from "./operators.ts";
import { OF_ITSELF, type Token } from "./person.ts";
import type { Segment, Sentence } from "./utterance.ts";

/**
 * What the rest of a sentence does to what is said in some of its segments. No list of verbs of saying is complete, so only
 * what is known to leave it alone is `"none"`; it may be somebody else's word where it is `"foreign"`.
 */
export type Bearing = "none" | "doubt" | "foreign";

/** The segments that say something. */
export interface Part {
  readonly isIn: (segment: Segment) => boolean;
  /** Whether its words tell that they are of the speaker; of what is in no known language, they don't. */
  readonly isOfUser: boolean;
}

const AGE = /^[今年岁歲歳才〇一二两三四五六七八九十百千\p{Nd}]+$/u;
/** What such a clause is joined to is so only then. */
const LIMITING = new Set(["when", "while", "whenever", "wenn", "während", "quand", "cuando", "mientras"]);
/** So few words behind a comma are rather a remark about what was said: `I dreamt`. */
const REMARK = 3;

export function bearingOn({ isIn, isOfUser }: Part, sentence: Sentence): Bearing {
  const { segments } = sentence;
  const first = segments.findIndex(isIn);
  const announcement = segments.findLastIndex(
    (segment, index) => index <= first && sentence.announced.has(segment),
  );
  const bearings = segments.map((segment, index): Bearing => {
    if (isIn(segment) || segment.every(isHarmless)) return "none";
    if (!isOfUser || index < announcement) return "foreign";
    const isJoined = COORDINATING.has((index < first ? segments[index + 1] : segment)?.[0]?.text ?? "");
    return index < first ? before(segment, isJoined) : behind(segment, isJoined, sentence.isQuestion);
  });
  if (bearings.includes("foreign")) return "foreign";
  return bearings.includes("doubt") ? "doubt" : "none";
}

const isHarmless = ({ text }: Token): boolean => HARMLESS.has(text);

function before(segment: Segment, isJoined: boolean): Bearing {
  if (segment.some(({ text }) => OPINION.has(text))) return "foreign";
  if (isOwn(segment)) return isJoined || isPlain(segment) ? "none" : "doubt";
  if (isAge(segment)) return "none";
  const isTime = segment.some(({ text }) => /\p{N}/u.test(text));
  return isTime && !segment.some(isSomebody) ? "doubt" : "foreign";
}

function behind(segment: Segment, isJoined: boolean, isQuestion: boolean): Bearing {
  const isReport = segment.some(({ text }) => OPINION.has(text));
  if (isJoined) return isReport || segment.some(({ text }) => BINDING.has(text)) ? "doubt" : "none";
  if (isOwn(segment)) return !isReport && isPlain(segment) && segment.length > REMARK ? "none" : "doubt";
  const [start] = segment.filter((token) => !isHarmless(token));
  if (start === undefined || isAge(segment)) return "none";
  if (isQuestion && !isReport && (ASKING.has(start.text) || segment.some(isSubject))) return "none";
  const reached = operatorsIn([start]);
  if (reached.has("likes") || reached.has("dislikes")) return "none";
  const isNamed = isSpecific(start) && !segment.every(isSpecific);
  return isReport || isNamed || ARTICLES.has(segment[0]?.text ?? "") || segment.some(isSomebody)
    ? "foreign"
    : "doubt";
}

/** A clause of the speaker's: `I …`, `my name …`. */
function isOwn(segment: Segment): boolean {
  const [subject, next] = segment.filter((token) => !isHarmless(token));
  if (subject === undefined || LIMITING.has(segment[0]?.text ?? "")) return false;
  return isSubject(subject) || (subject.person === "user" && NAMING.has(next?.text ?? ""));
}

const isSubject = ({ text }: Token): boolean => SUBJECT.has(text) || OF_ITSELF.has(text);

/** A clause whose verb takes no other as its object. */
function isPlain(segment: Segment): boolean {
  const verb = segment.find((token) => !isHarmless(token) && token.person === undefined);
  if (verb === undefined) return false;
  const operators = operatorsIn([verb]);
  return (
    ["be", "was", "have"].includes(verb.form) ||
    NEUTRAL.has(verb.text) ||
    operators.has("likes") ||
    operators.has("dislikes")
  );
}

const isAge = (segment: Segment): boolean => segment.every(({ text }) => AGE.test(text));

const isSomebody = ({ text, person }: Token): boolean =>
  PEOPLE.has(text) || (person !== undefined && person !== "user");
