import type { UserFact } from "../fact.ts";
import { tokenize } from "../ranker/index.ts";
import { weightOf } from "./duplicates.ts";
import { type MemoryFinding, saidTimeOf, toFinding } from "./report.ts";
import { agree, type Statement } from "./statement.ts";

/** Something that has one value at a time, and the value that a statement gives it. */
interface Claim {
  /** What has one value, e.g. `lives in`. */
  readonly about: string;
  /** The words of the value. */
  readonly value: readonly string[];
  /** Whether a newer value replaces an older one. If not, there can be two of it, e.g. two dogs. */
  readonly isSingle: boolean;
}

const SUBJECT = "(?:(?:i|he|she|they|we) )?(?:currently |now )?";
const OWNER = "(?:(?:my|her|his|their|our|the) )?";
const VALUE = "(.{1,60}?)(?: now| currently| at the moment| these days)?[.!]?$";
/** What a person has one of, or one that counts. */
const SINGLE =
  "(?:(?:favou?rite|fave) [\\w ]{1,30}|(?:full |first |last )?name|nickname|birthday|date of birth|boss|manager|time ?zone|(?:e-?mail|home|postal)? ?address|(?:phone|mobile) number|native language|mother tongue|blood type|height|weight|age|nationality|employer|job title|landlord|hometown)";

const LIVES = new RegExp(`^${SUBJECT}lives? in ${VALUE}`);
const WORKS = new RegExp(`^${SUBJECT}works? (?:at|for) ${VALUE}`);
const HAS_SINGLE = new RegExp(`^${OWNER}(${SINGLE}) is ${VALUE}`);
const IS_NAMED = new RegExp(`^${OWNER}([\\w ]{1,30}) is (?:called|named) ${VALUE}`);
const IS_IN = new RegExp(`^${OWNER}(?!(?:i|he|she|they|we|it) )([\\w ]{1,30}) is in ${VALUE}`);
const NAMED_OWNER = new RegExp(`^([\\w]{2,30}'s ${SINGLE.replace("(?:", "(?:school|")}) is ${VALUE}`);

const ATTRIBUTE =
  /^(?:(?:i|he|she|they|we) )?(?:has|have|owns?|is|am|are|'m|im|i'm) (?:only |about |around )?(?:\d|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b)|^.{2,60}? (?:is|are|ends in|costs) (?:at |on |in |about |around )?(?:\d|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b)/;
const YEAR = /\b(?:19|20)\d\d\b/;
const NUMBER = /^\d+$/;
const WORD_NUMBERS = "zero one two three four five six seven eight nine ten".split(" ");

/** Returns what a statement claims about something that has one value at a time. */
function claimOf(statement: Statement): Claim | undefined {
  const { text, negations, modality, fact } = statement;
  if (negations > 0 || modality !== "") return undefined;
  return namedClaim(text, fact.fact) ?? numberClaim(text);
}

function namedClaim(text: string, original: string): Claim | undefined {
  const claim = (about: string, value: string | undefined, isSingle: boolean): Claim => ({
    ...{ about, isSingle },
    value: tokenize(value ?? ""),
  });
  const isName = (value: string | undefined): boolean => {
    const index = original.toLowerCase().lastIndexOf(value ?? "");
    return index > 0 && /^\p{Lu}/u.test(original.slice(index));
  };
  const [, place] = LIVES.exec(text) ?? [];
  if (isName(place)) return claim("lives in", place, true);
  const [, employer] = WORKS.exec(text) ?? [];
  if (isName(employer)) return claim("works at", employer, true);
  const [, what, value] = HAS_SINGLE.exec(text) ?? NAMED_OWNER.exec(text) ?? [];
  if (what !== undefined) return claim(what.replaceAll("favourite", "favorite"), value, true);
  const [, named, name] = IS_NAMED.exec(text) ?? [];
  if (named !== undefined) return claim(`${named} is called`, name, false);
  const [, thing, where] = IS_IN.exec(text) ?? [];
  return thing !== undefined && isName(where) ? claim(`${thing} is in`, where, false) : undefined;
}

function numberClaim(text: string): Claim | undefined {
  if (!ATTRIBUTE.test(text) || YEAR.test(text)) return undefined;
  const words = tokenize(text.replace(/^(?:i|he|she|they|we|my|her|his|their|our|the)\b/, ""));
  const numbers = words.map((word) =>
    Math.max(WORD_NUMBERS.indexOf(word), NUMBER.test(word) ? Number(word) : -1),
  );
  const value = numbers.filter((number) => number >= 0).map(String);
  const frame = words.flatMap((word, index) => ((numbers[index] ?? -1) >= 0 ? ["#"] : [singular(word)]));
  if (value.length === 0 || frame.length < 2) return undefined;
  return { about: frame.join(" ").replace(/^(?:has|have|own|owns) /, "has "), value, isSingle: true };
}

const singular = (word: string): string => (word === "children" ? "child" : word.replace(/s$/, ""));

/** Finds statements that deny each other, or give one thing two values. The statements must be newest first. */
export function findContradictions(statements: readonly Statement[]): readonly MemoryFinding[] {
  const found = new Map<string, { readonly statements: Statement[]; readonly isSingle: boolean }>();
  const add = (group: string, statement: Statement, isSingle: boolean) => {
    const known = found.get(group);
    if (known === undefined) found.set(group, { statements: [statement], isSingle });
    else known.statements.push(statement);
  };
  for (const statement of statements) {
    const { terms, fact } = statement;
    if (terms.size > 0) add(`terms ${[...terms].toSorted().join(" ")}`, statement, true);
    const claim = claimOf(statement);
    if (claim !== undefined) add(`claim ${claim.about}`, statement, claim.isSingle);
    if (fact.key !== undefined) add(`key ${fact.key}`, statement, true);
  }
  const known = new Set<string>();
  return [...found].flatMap(([group, { statements: same, isSingle }]) => {
    const opposed = opposedIn(group, same);
    if (opposed.length < 2) return [];
    const finding = findingOf(opposed, { isSingle, isKey: group.startsWith("key ") });
    if (known.has(finding.id)) return [];
    known.add(finding.id);
    return [finding];
  });
}

/** Returns the newest statement of a group and those that contradict it. */
function opposedIn(group: string, [newest, ...older]: readonly Statement[]): readonly Statement[] {
  if (newest === undefined) return [];
  const contradicts = (other: Statement): boolean => {
    if (group.startsWith("key ")) return true;
    if (group.startsWith("claim ")) return differ(claimOf(newest)?.value ?? [], claimOf(other)?.value ?? []);
    return newest.negations % 2 !== other.negations % 2 && agree(newest, other);
  };
  return [newest, ...older.filter(contradicts)];
}

/** Whether neither value contains the other. `Oslo` and `Oslo, Norway` don't differ. */
function differ(a: readonly string[], b: readonly string[]): boolean {
  return !a.every((word) => b.includes(word)) && !b.every((word) => a.includes(word));
}

interface Kind {
  readonly isSingle: boolean;
  readonly isKey: boolean;
}

function findingOf([newest, ...others]: readonly Statement[], { isSingle, isKey }: Kind): MemoryFinding {
  const kept = newest?.fact as UserFact;
  const older = others.map(({ fact }) => fact);
  const isNewer = older.every(
    (fact) => weightOf(fact) <= weightOf(kept) && saidTimeOf(fact) < saidTimeOf(kept),
  );
  return toFinding({
    kind: "contradiction",
    facts: [kept, ...older],
    reason: isKey
      ? "These facts have the same key, and only one of them can be true now."
      : "These facts can't all be true at the same time.",
    remedy:
      isSingle && !isKey && isNewer
        ? { action: "supersede", keep: kept.id, end: older.map(({ id }) => id) }
        : { action: "ask", question: "Which of these is true now?" },
  });
}

/** Returns the findings for facts that wait for review because they contradict a fact in use. */
export function findConflicts(
  waiting: readonly UserFact[],
  inUse: readonly UserFact[],
): readonly MemoryFinding[] {
  const byId = new Map(inUse.map((fact) => [fact.id, fact]));
  return waiting.flatMap((fact) => {
    const stated = byId.get(fact.conflictsWith ?? "");
    if (stated === undefined) return [];
    return toFinding({
      kind: "contradiction",
      facts: [stated, fact],
      reason: "The second of these facts waits for review, because it contradicts the first.",
      remedy: { action: "ask", question: "Which of these is true now?" },
    });
  });
}
