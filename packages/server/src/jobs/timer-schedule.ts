import { Cron } from "croner";

/** A timer that is due again and again. */
export interface Schedule {
  readonly cron: string;
  /** An IANA name, e.g. `"Europe/Paris"`. */
  readonly timeZone: string;
}

const MAX_PATTERN = 200;

const EXPECTED =
  'cron: expected five fields (minute, hour, day, month, weekday) of numbers, * , - / and English names of months and days, e.g. "0 9 * * 1-5" or "0 9 * * mon-fri", or a name such as "@daily"';

const NAME = /^@(?:yearly|monthly|weekly|daily|hourly)$/i;
const FIELD = "(?:[\\d*,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+";
// The library knows more signs. For some patterns with them, it searches until the stack overflows.
const FIELDS = new RegExp(`^${FIELD}(?:\\s+${FIELD}){4}$`, "i");

/** The days of the months, in a leap year. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const SHORTEST = Math.min(...DAYS);
/** Before the first of January. */
const NEW_YEAR = new Date("2027-12-31T12:00:00Z");
const QUARTER_MS = 900_000;

/** Returns what is wrong with a schedule; `undefined` if it has a next time. */
export function scheduleIssue(schedule: Schedule, now: Date): string | undefined {
  if (!isTimeZone(schedule.timeZone)) return 'timeZone: expected an IANA name, e.g. "Europe/Paris"';
  const next = nextTime(schedule, now);
  if (next === "unknown") return EXPECTED;
  return next === "none" ? "cron: expected a pattern that matches a day" : undefined;
}

/**
 * Returns the first time of a schedule after `after`. In autumn, times in the hour that the clocks repeat are due in its
 * first pass only; in spring, times in the hour that they skip are due an hour later.
 *
 * - `"none"`: no day matches the pattern.
 * - `"unknown"`: this release doesn't know the pattern, or this process doesn't know the time zone.
 */
export function nextTime({ cron, timeZone }: Schedule, after: Date): Date | "none" | "unknown" {
  const text = cron.trim();
  const isPattern = cron.length <= MAX_PATTERN && (NAME.test(text) || FIELDS.test(text));
  if (!isPattern || !isTimeZone(timeZone)) return "unknown";
  try {
    const pattern = parsed(text, timeZone);
    // The library would search for a day in thousands of years.
    if (!NAME.test(text) && !hasDay(text)) return "none";
    // In the second pass of a repeated hour, the library returns times of the first.
    for (let from = after.getTime(); ; from += QUARTER_MS) {
      const next = pattern.nextRun(new Date(from));
      if (next === null) return "none";
      if (next > after) return next;
    }
  } catch {
    return "unknown";
  }
}

// Without the seconds of longer patterns, at least a minute is between two times.
const parsed = (cron: string, timeZone: string): Cron =>
  new Cron(cron, { mode: "5-part", timezone: timeZone, paused: true });

/** Returns whether a month of the pattern is long enough for a day of the pattern. */
function hasDay(fields: string): boolean {
  const [, , days = "*", months, weekdays] = fields.split(/\s+/);
  const first = Math.min(...days.replaceAll("*", "1").split(",").map(Number.parseFloat));
  // With weekdays, the pattern matches these of each month, too.
  if (weekdays !== "*" || first <= SHORTEST) return true;
  const firsts = parsed(`0 0 1 ${months} *`, "UTC").nextRuns(DAYS.length, NEW_YEAR);
  return firsts.some((date) => first <= (DAYS[date.getUTCMonth()] ?? 0));
}

function isTimeZone(name: string): boolean {
  try {
    // Node accepts an offset, e.g. "+02:00", which the library doesn't.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
