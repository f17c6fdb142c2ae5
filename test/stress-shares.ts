import type { FileTimes } from "./times-reporter.ts";

/** This many consecutive runs, each with another share, run every file. */
export const SHARES = 10;

/**
 * Divides stress files into shares of about the same time: the longest first, each to the share with the least time so far.
 * A file without a recorded time counts with the median time.
 */
export function divideIntoShares(files: readonly string[], times: FileTimes): readonly (readonly string[])[] {
  const known = Object.values(times).sort((a, b) => a - b);
  const middling = known[Math.floor(known.length / 2)] ?? 1;
  const timeOf = (file: string): number => times[file] ?? middling;
  const shares = Array.from({ length: SHARES }, () => ({ files: [] as string[], time: 0 }));
  for (const file of files.toSorted((a, b) => timeOf(b) - timeOf(a) || a.localeCompare(b))) {
    const share = shares.reduce((least, each) => (each.time < least.time ? each : least));
    share.files.push(file);
    share.time += timeOf(file);
  }
  return shares.map((share) => share.files);
}
