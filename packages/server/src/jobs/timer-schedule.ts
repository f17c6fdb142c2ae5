import { Cron } from "croner";

/** A timer that is due again and again. */
export interface Schedule {
  readonly cron: string;
  /** An IANA name, e.g. `"Europe/Paris"`. */
  readonly timeZone: string;
}

const MAX_PATTERN = 200;

const EXPECTED =
  'cron: expected five fields (minute, hour, day, month, weekday), e.g. "0 9 * * 1-5", or a name such as "@daily"';

/** Returns what is wrong with a schedule; `undefined` if it has a next time. */
export function scheduleIssue(schedule: Schedule, now: Date): string | undefined {
  if (!isTimeZone(schedule.timeZone)) return 'timeZone: expected an IANA name, e.g. "Europe/Paris"';
  // The library would also accept a date.
  const isPattern = schedule.cron.length <= MAX_PATTERN && /^@|\S\s+\S/.test(schedule.cron.trim());
  const pattern = isPattern ? parsed(schedule) : undefined;
  if (pattern === undefined) return EXPECTED;
  return nextOf(pattern, now) === null ? "cron: expected a pattern that matches a day" : undefined;
}

/** Returns the first time of a schedule after `after`; `null` if there is none. */
export function nextTime(schedule: Schedule, after: Date): Date | null {
  const pattern = parsed(schedule);
  return pattern === undefined ? null : nextOf(pattern, after);
}

function parsed({ cron, timeZone }: Schedule): Cron | undefined {
  try {
    // Without the seconds of longer patterns, at least a minute is between two times.
    return new Cron(cron, { mode: "5-part", timezone: timeZone, paused: true });
  } catch {
    return undefined;
  }
}

function nextOf(pattern: Cron, after: Date): Date | null {
  try {
    return pattern.nextRun(after);
  } catch {
    // For some patterns that match no day, the library's search overflows the stack.
    return null;
  }
}

function isTimeZone(name: string): boolean {
  try {
    // Node accepts an offset, e.g. "+02:00", which the library doesn't.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
