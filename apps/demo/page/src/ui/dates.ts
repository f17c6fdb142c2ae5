const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const SAME_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

export const dayOf = (iso: string): string => DAY.format(new Date(iso));

/** The time if the date is today, else the day. */
export function briefly(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (date.toDateString() === now.toDateString()) return TIME.format(date);
  return (date.getFullYear() === now.getFullYear() ? SAME_YEAR : DAY).format(date);
}

/** The time, with the day if that isn't today. */
export function exactly(iso: string, now = new Date()): string {
  const brief = briefly(iso, now);
  const time = TIME.format(new Date(iso));
  return brief === time ? time : `${brief}, ${time}`;
}

export const durationOf = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
