const DAY_MS = 86_400_000;

/** A day, a month or a year; a month or a day may come without its year. Months count from 1. */
export interface CalendarDate {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
}

/** A day of one year. */
export interface CalendarDay extends CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The day on which a moment in milliseconds since 1970 falls, in UTC. */
export function dayOf(time: number): CalendarDay {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** So many days from a moment on, one after the other. */
export const daysFrom = (time: number, count: number): readonly CalendarDay[] =>
  Array.from({ length: count }, (_, index) => dayOf(time + index * DAY_MS));

/** The moment so many days later, or earlier where the number is negative. */
export const daysLater = (time: number, count: number): number => time + count * DAY_MS;

/** The month so many months later, or earlier where the number is negative. */
export function monthFrom(time: number, count: number): CalendarDate {
  const date = new Date(time);
  const { year, month } = dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1));
  return { year, month };
}

/** Whether the calendar has such a month and day; a year says nothing against it. */
export const isPossible = ({ month, day }: CalendarDate): boolean =>
  (month === undefined || (month >= 1 && month <= 12)) && (day === undefined || (day >= 1 && day <= 31));

const pad = (value: number) => String(value).padStart(2, "0");

/**
 * The terms under which a document is found by a date, from the coarsest to the finest: `@2023`, `@07`, `@2023-07` and
 * `@2023-07-08` for 8 July 2023, `@07` alone for a July of any year.
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
