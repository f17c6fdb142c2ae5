const YEAR_MS = 365.25 * 24 * 60 * 60 * 1_000;
const BACK_MS = 150 * YEAR_MS;
const AHEAD_MS = 50 * YEAR_MS;

/** The time, unless it lies too far away to be meant; in milliseconds since 1970. */
export function plausibleTime(time: number | null | undefined, now: number): number | null {
  if (time === null || time === undefined || Number.isNaN(time)) return null;
  return time < now - BACK_MS || time > now + AHEAD_MS ? null : time;
}

/** When something was said: never in the future. */
export function saidTime(time: number | null | undefined, now: number): number | null {
  const plausible = plausibleTime(time, now);
  return plausible === null ? null : Math.min(plausible, now);
}
