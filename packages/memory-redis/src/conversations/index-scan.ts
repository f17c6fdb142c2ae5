import { list, text } from "../lua.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/** A conversation's entry in an index. An index is a sorted set in Redis. */
export interface Entry {
  readonly id: string;
  /**
   * The conversation's last activity in milliseconds since 1970. A reserved entry has a time in the future, and half a
   * millisecond. In the index of a user, the score of a child is lower by `CHILD_OFFSET_MS`.
   */
  readonly score: number;
  readonly index: string;
}

/** Returns whether an entry is reserved: the script `reserveIndexEntry` made it before its conversation was written. */
export const isReserved = ({ score }: Entry): boolean => score % 1 !== 0;

export interface Range {
  readonly order: "newest" | "oldest";
  /**
   * The lowest and the highest score (`fromMs` and `toMs`) in milliseconds since 1970, both inclusive. Absent: no
   * limit.
   */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** The entry directly before the scan. Absent: the scan starts at the first entry. */
  readonly after?: Pick<Entry, "id" | "score"> | undefined;
}

// Compares conversation ids in the order in which Redis sorts entries with equal scores.
const compareIds = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Compares index entries by their scores, and by their ids if the scores are equal. */
export const compareEntries = (a: Pick<Entry, "id" | "score">, b: Pick<Entry, "id" | "score">): number =>
  a.score - b.score || compareIds(a.id, b.id);

/** Returns a function that reads an index in pages. Each call continues where the previous call ended. */
export function createScan(run: RunConversationScript, index: string, range: Range) {
  const { order, fromMs, toMs } = range;
  const direction = order === "newest" ? -1 : 1;
  let last = range.after;
  /** How many entries with the score of `last` were already read. */
  // Redis returns them again at the start of the next page, where they are skipped.
  let ties = 0;

  function bounds(): readonly [string, string] {
    const [low, high] = [fromMs ?? Number.NEGATIVE_INFINITY, toMs ?? Number.POSITIVE_INFINITY];
    const [from, to] =
      order === "newest"
        ? [low, Math.min(high, last?.score ?? high)]
        : [Math.max(low, last?.score ?? low), high];
    const bound = (value: number) => (Number.isFinite(value) ? String(value) : value > 0 ? "+inf" : "-inf");
    return [bound(from), bound(to)];
  }

  /** Returns the next entries, at most `size`, or an empty list at the end of the index. */
  return async function next(size: number): Promise<readonly Entry[]> {
    for (;;) {
      const asked = size + ties;
      const flat = list(await run("indexPage", { keys: [index], args: [order, ...bounds(), asked] }));
      const found: Entry[] = [];
      for (let at = 0; at < flat.length; at += 2) {
        found.push({ id: text(flat[at]), score: Number(text(flat[at + 1])), index });
      }
      const before = last;
      const fresh = found.filter(
        (entry) => before === undefined || compareEntries(entry, before) * direction > 0,
      );
      const end = found.at(-1);
      if (end !== undefined) {
        ties = found.filter(({ score }) => score === end.score).length;
        last = fresh.at(-1) ?? last;
      }
      // A full page may contain no new entry, if a read from a cursor meets many entries with the same score.
      if (fresh.length > 0 || found.length < asked) return fresh;
      ties = asked;
    }
  };
}

export type Scan = ReturnType<typeof createScan>;

/** Merges several scans that have the same order into one scan in that order. */
export function mergeScans(scans: readonly Scan[], order: Range["order"]): Scan {
  const sources = scans.map((next) => ({ next, ahead: [] as Entry[], ended: false }));
  const direction = order === "newest" ? -1 : 1;

  async function refill(size: number): Promise<void> {
    await Promise.all(
      sources.map(async (source) => {
        if (source.ended || source.ahead.length > 0) return;
        source.ahead = [...(await source.next(size))];
        source.ended = source.ahead.length === 0;
      }),
    );
  }

  return async (size) => {
    const merged: Entry[] = [];
    while (merged.length < size) {
      await refill(size);
      let foremost: (typeof sources)[number] | undefined;
      for (const source of sources) {
        const [entry] = source.ahead;
        const [best] = foremost?.ahead ?? [];
        if (entry === undefined) continue;
        if (best === undefined || compareEntries(entry, best) * direction < 0) foremost = source;
      }
      const entry = foremost?.ahead.shift();
      if (entry === undefined) return merged;
      merged.push(entry);
    }
    return merged;
  };
}

/** The number of index entries that one call reads. */
const PAGE = 500;

interface EveryEntryOptions {
  readonly seen?: Set<string>;
  readonly fromMs?: number;
}

/**
 * Returns a generator function that reads all entries of an index with scores from `fromMs` on. It skips the ids in its
 * argument `seen`, and adds the ids that it yields to `seen`.
 */
export function createEveryEntry(run: RunConversationScript) {
  return async function* everyEntry(
    index: string,
    { seen = new Set(), fromMs }: EveryEntryOptions = {},
  ): AsyncGenerator<readonly Entry[]> {
    const next = createScan(run, index, { order: "oldest", fromMs });
    for (;;) {
      const entries = await next(PAGE);
      if (entries.length === 0) return;
      const fresh = entries.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      yield fresh;
    }
  };
}

export type EveryEntry = ReturnType<typeof createEveryEntry>;
