const DAY_MS = 86_400_000;

/** A day, a month or a year. A month or day can be without its year. January is month 1. */
export interface CalendarDate {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
}

/** A day with its month and year. */
export interface CalendarDay extends CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Returns the day, in UTC, of a time in milliseconds since 1970. */
export function dayOf(time: number): CalendarDay {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Returns `count` consecutive days. The first one is the day of `time`. */
const daysFrom = (time: number, count: number): readonly CalendarDay[] =>
  Array.from({ length: count }, (_, index) => dayOf(time + index * DAY_MS));

/** Returns the time `count` days after `time`. If `count` is negative, returns an earlier time. */
export const daysLater = (time: number, count: number): number => time + count * DAY_MS;

/**
 * Returns the month that is `count` months after the month of `time`. If `count` is negative, returns an earlier month.
 */
function monthFrom(time: number, count: number): CalendarDate {
  const date = new Date(time);
  const { year, month } = dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1));
  return { year, month };
}

/** Whether the month of a date is from 1 to 12 and the day is from 1 to 31. */
const isPossible = ({ month, day }: CalendarDate): boolean =>
  (month === undefined || (month >= 1 && month <= 12)) && (day === undefined || (day >= 1 && day <= 31));

const pad = (value: number) => String(value).padStart(2, "0");

/**
 * Returns the index terms of a date, from year to day. 8 July 2023 gives `@2023`, `@07`, `@2023-07` and `@2023-07-08`.
 * July without a year gives only `@07`.
 */
export function dateTerms({ year, month, day }: CalendarDate): readonly string[] {
  const terms = year === undefined ? [] : [`@${year}`];
  if (month === undefined) return terms;
  terms.push(`@${pad(month)}`);
  if (year === undefined) return terms;
  terms.push(`@${year}-${pad(month)}`);
  if (day !== undefined) terms.push(`@${year}-${pad(month)}-${pad(day)}`);
  return terms;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** Matches the names of months that have no other meaning in English, so without `march` and `may`. */
const SURE_MONTH = "(january|february|april|june|july|august|september|october|november|december)";
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const WEEKDAY = "((?:mon|tues|wednes|thurs|fri|satur|sun)day)";
const YEAR = "((?:19|20)\\d\\d)";
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const COUNT = `(an?|${COUNTS.join("|")}|\\d{1,3}|(?:a )?couple(?: of)?|(?:a )?few)`;
const UNIT = "(day|week|month|year)";

/** The times that a text mentions. */
export interface TimeMentions {
  /** Whether the text mentions a time, e.g. by a date or by `yesterday`. */
  readonly some: boolean;
  readonly dates: readonly CalendarDate[];
  /** The text without the words that name dates. */
  readonly rest: string;
}

type Match = readonly (string | undefined)[];
/**
 * A pattern for times in a text, and a function that returns the dates of a match. `at` is the time of the statement,
 * in milliseconds since 1970. `hint` matches every text that the pattern can match.
 */
interface Rule {
  readonly pattern: RegExp;
  readonly read: (match: Match, at: number) => readonly CalendarDate[];
  readonly hint: RegExp;
}

// Most texts contain no time, and for them the rules are skipped.
const HAS_YEAR = /\d{4}/;
const HAS_MONTH = new RegExp(`\\b(?:${MONTHS.join("|")})`);
const HAS_PERIOD = /day|week|month|year|night|morning|afternoon|evening|tomorrow/;

const rule = (source: string, hint: RegExp, read: Rule["read"]): Rule => ({
  pattern: new RegExp(`\\b${source}\\b`, "g"),
  read,
  hint,
});
const monthOf = (name: string | undefined) => MONTHS.indexOf((name ?? "").slice(0, 3)) + 1;
const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

const ABSOLUTE: readonly Rule[] = [
  rule("(\\d{4})-(\\d\\d)(?:-(\\d\\d))?(?:t[\\d:.]+z?)?", HAS_YEAR, ([, year, month, day]) => [
    { year: numberOf(year), month: numberOf(month), day: numberOf(day) },
  ]),
  rule(`${DAY}(?: of)? ${MONTH}\\b\\.?(?:,? ${YEAR})?`, HAS_MONTH, ([, day, month, year]) => [
    { year: numberOf(year), month: monthOf(month), day: numberOf(day) },
  ]),
  rule(`${MONTH}\\.? ${DAY}(?:,? ${YEAR})?`, HAS_MONTH, ([, month, day, year]) => [
    { year: numberOf(year), month: monthOf(month), day: numberOf(day) },
  ]),
  rule(`${MONTH}\\b\\.?,? (?:of )?${YEAR}`, HAS_MONTH, ([, month, year]) => [
    { year: numberOf(year), month: monthOf(month) },
  ]),
  rule(
    `(?:in|since|until|till|by|during|of|last|next|this|early|late|mid) ${MONTH}`,
    HAS_MONTH,
    ([, month]) => [{ month: monthOf(month) }],
  ),
  rule(SURE_MONTH, HAS_MONTH, ([, month]) => [{ month: monthOf(month) }]),
  rule(YEAR, HAS_YEAR, ([, year]) => [{ year: numberOf(year) }]),
];

const RELATIVE: readonly Rule[] = [
  rule("(?:today|tonight|this (?:morning|afternoon|evening))", HAS_PERIOD, (_, at) => daysFrom(at, 1)),
  rule("(?:the )?day before yesterday", HAS_PERIOD, (_, at) => daysFrom(daysLater(at, -2), 1)),
  rule("(?:yesterday|last night)", HAS_PERIOD, (_, at) => daysFrom(daysLater(at, -1), 1)),
  rule("tomorrow", HAS_PERIOD, (_, at) => daysFrom(daysLater(at, 1), 1)),
  rule(`${COUNT} ${UNIT}s? (?:ago|back|before)`, HAS_PERIOD, ([, count, unit], at) =>
    away(at, unit, -countOf(count)),
  ),
  rule(`in ${COUNT} ${UNIT}s?`, HAS_PERIOD, ([, count, unit], at) => away(at, unit, countOf(count))),
  rule("(?:the )?(last|past|previous|this|next) (week|month|year)", HAS_PERIOD, ([, which, unit], at) =>
    away(at, unit, which === "next" ? 1 : which === "this" ? 0 : -1),
  ),
  rule("(last|past|previous|this|next) weekend", HAS_PERIOD, ([, which], at) => weekend(at, which)),
  rule(`(last|past|previous|on|this|next) ${WEEKDAY}`, HAS_PERIOD, ([, which, name], at) =>
    weekday(at, which, name),
  ),
];

function countOf(text: string | undefined): number {
  const word = (text ?? "").replace(/^a (?=\w)/, "");
  if (word.startsWith("couple")) return 2;
  if (word === "few") return 3;
  if (word === "a" || word === "an") return 1;
  const index = COUNTS.indexOf(word);
  return index >= 0 ? index : Number(word);
}

function away(at: number, unit: string | undefined, count: number): readonly CalendarDate[] {
  if (unit === "day") return daysFrom(daysLater(at, count), 1);
  if (unit === "week") return daysFrom(daysLater(at, count * 7 - 3), 7);
  if (unit === "month") return [monthFrom(at, count)];
  return [{ year: dayOf(at).year + count }];
}

function weekend(at: number, which: string | undefined): readonly CalendarDate[] {
  const sinceSaturday = (new Date(at).getUTCDay() + 1) % 7;
  const ahead = which === "next" || which === "this";
  return daysFrom(daysLater(at, (ahead ? 7 : 0) - sinceSaturday), 2);
}

function weekday(at: number, which: string | undefined, name: string | undefined): readonly CalendarDate[] {
  const ahead = which === "next" || which === "this";
  const until = (WEEKDAYS.indexOf((name ?? "").slice(0, 3)) - new Date(at).getUTCDay() + 7) % 7;
  return daysFrom(daysLater(at, ahead ? until || 7 : until - 7), 1);
}

/**
 * Finds times in a text that is in lower case without accents. `said` is the time of the statement in milliseconds
 * since 1970; without it, words such as `yesterday` have no date.
 */
export function timeMentions(text: string, said?: number): TimeMentions {
  // Finds English words for times, and ISO dates in any language. Days are in UTC.
  const hints = [HAS_YEAR, HAS_MONTH, HAS_PERIOD].filter((hint) => hint.test(text));
  if (hints.length === 0) return { some: false, dates: [], rest: text };
  let some = false;
  const dates: CalendarDate[] = [];
  const apply = (rest: string, { pattern, read, hint }: Rule, at: number | undefined) =>
    !hints.includes(hint)
      ? rest
      : rest.replace(pattern, (...match: (string | undefined)[]) => {
          some = true;
          const named = at === undefined ? [] : read(match, at).filter(isPossible);
          dates.push(...named);
          return named.length > 0 ? " " : (match[0] ?? "");
        });
  let rest = text;
  for (const absolute of ABSOLUTE) rest = apply(rest, absolute, 0);
  for (const relative of RELATIVE) rest = apply(rest, relative, said);
  return { some, dates, rest };
}
