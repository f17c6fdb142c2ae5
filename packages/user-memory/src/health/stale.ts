import type { UserFact } from "../fact.ts";
import { type CalendarDate, dayOf, daysLater, fold, timeMentions } from "../ranker/index.ts";
import { sentencesIn, wordsIn } from "../text.ts";
import { type MemoryFinding, saidTimeOf, toFinding } from "./report.ts";

const TEXT_LIMIT = 2_000;
/** A time is over a day after its end, wherever the user is. */
const ZONES_DAYS = 1;

/** A further sentence with at most this many words needs no time of its own, e.g. `Thank you.` */
const MAX_ASIDE_WORDS = 3;

const WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const COUNTS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const COUNT = `(an?|${COUNTS.join("|")}|\\d{1,2}|(?:a )?couple(?: of)?|(?:a )?few)`;
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 31, year: 366 };

/** A pattern for a time ahead, and the number of days after the statement when that time is over at the latest. */
type Rule = readonly [pattern: RegExp, days: (match: RegExpExecArray) => number];

const rule = (source: string, days: Rule[1]): Rule => [new RegExp(`\\b${source}\\b`), days];

/** Times after the statement. */
const AHEAD: readonly Rule[] = [
  rule("(?:the )?day after tomorrow", () => 3),
  rule("tomorrow", () => 2),
  rule(`next (?:weekend|${WEEKDAY})`, () => 15),
  rule("next week", () => 14),
  rule("next month", () => 62),
  rule("next year", () => 731),
  rule(
    `(?:in|within|for the next|over the next) ${COUNT} (day|week|month|year)s?`,
    ([, count, unit = "day"]) => (countOf(count) + (unit === "day" ? 0 : 1)) * (UNIT_DAYS[unit] ?? 1) + 1,
  ),
];

/** Times that the moment of the statement can be part of. */
const PRESENT: readonly Rule[] = [
  rule("(?:today|tonight|this (?:morning|afternoon|evening))", () => 1),
  rule("(?:this|at the) weekend", () => 8),
  rule(`this ${WEEKDAY}`, () => 8),
  rule("this week", () => 7),
  rule("this month", () => 31),
];

/** Days of the week, which are only of one week if the statement speaks of something planned. */
const PLANNED: readonly Rule[] = [
  rule(`(?:until|till|by|before) (?:next )?${WEEKDAY}`, () => 14),
  rule(`on ${WEEKDAY}`, () => 8),
];

/** Words of habits and of things that last. */
const LASTING =
  /\b(?:every|each|usually|always|often|never|yearly|annually|weekly|monthly|birthday|bday|anniversary|born|(?<!would |'d )like|likes|loves?|enjoys?|prefers?|song|book|film|movie|novel|album|titled|these days|since)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\bto this day\b/;
const PLAN =
  /\b(?:am|is|are|will be|i'?m|we'?re|he'?s|she'?s|they'?re) (?:\w+ly )?(?:\w+ing|due|scheduled|planned|expected|supposed|valid|unavailable|away|off|out|closed|on (?:holiday|vacation|leave))\b|\b(?:will|won't|going to|gonna|plans?|planned|scheduled|needs?|has to|have to|must|due|deadline|appointment|interview|exam|surgery|flight|meeting|expires?|until|till|by|submits?|arrives?|comes? by|valid)\b/;
const PAST =
  /\b(?:was|were|did|had|got|went|came|bought|sold|broke|began|became|met|made|left|lost|found|won|took|gave|saw|quit|moved|started|finished|(?<!is |are |am |be |being |been |gets? |was |were |i'm )\w{3,}ed)\b/;

/** Returns the finding for a fact that was true for a time that ended before `asOf` (milliseconds since 1970). */
export function findStale(fact: UserFact, asOf: number): MemoryFinding | undefined {
  const end = endOf(fact.fact.slice(0, TEXT_LIMIT), saidTimeOf(fact));
  if (end === undefined || end > asOf) return undefined;
  return toFinding({
    kind: "stale",
    facts: [fact],
    reason: "By its own words, it was about a time that is over.",
    remedy: { action: "end", end: [fact.id], at: new Date(end) },
  });
}

/**
 * Returns when the time that a text was about is over, in milliseconds. `undefined`: a sentence of the text names no
 * time, or it lasts.
 */
function endOf(text: string, said: number): number | undefined {
  const sentences = Array.from(sentencesIn(text), ({ segment }) => segment).filter(
    (sentence, index) => index === 0 || wordsIn(sentence) > MAX_ASIDE_WORDS,
  );
  const ends = sentences.map((sentence) => endOfSentence(fold(sentence), said));
  return ends.includes(undefined) ? undefined : Math.max(...ends.map((end) => end ?? 0));
}

function endOfSentence(text: string, said: number): number | undefined {
  if (LASTING.test(text)) return undefined;
  const isPlanned = PLAN.test(text);
  const ends = daysOf(text, AHEAD);
  if (!PAST.test(text)) ends.push(...daysOf(text, PRESENT));
  if (isPlanned) ends.push(...daysOf(text, PLANNED));
  const times = ends.map((days) => daysLater(said, days));
  times.push(...datesAhead(text, { said, isPlanned }));
  return times.length === 0 ? undefined : daysLater(Math.max(...times), ZONES_DAYS);
}

const daysOf = (text: string, rules: readonly Rule[]): number[] =>
  rules.flatMap(([pattern, days]) => {
    const match = pattern.exec(text);
    return match === null ? [] : [days(match)];
  });

function countOf(text = "one"): number {
  const word = text.replace(/^a (?=\w)/, "");
  if (word.startsWith("couple")) return 2;
  if (word === "few") return 4;
  return /^\d/.test(word) ? Number(word) : Math.max(1, COUNTS.indexOf(word) + 1);
}

interface Said {
  readonly said: number;
  readonly isPlanned: boolean;
}

/** Returns the ends of the days and months in a text that were ahead when it was said. */
function datesAhead(text: string, { said, isPlanned }: Said): readonly number[] {
  return timeMentions(text).dates.flatMap((date) => {
    // Without a month, a year is a number like any other, and without a year, a date recurs unless it is planned.
    if (date.month === undefined || (date.year === undefined && (!isPlanned || date.day === undefined)))
      return [];
    const end = endOfDate({ ...date, year: date.year ?? dayOf(said).year });
    if (date.year !== undefined) return end > said ? [end] : [];
    return [end > said ? end : endOfDate({ ...date, year: dayOf(said).year + 1 })];
  });
}

const endOfDate = ({ year = 0, month = 1, day }: CalendarDate): number =>
  day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
