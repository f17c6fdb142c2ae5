import { list, text } from "../lua.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/** A conversation's entry in an index. */
export interface Entry {
  readonly id: string;
  /** The last activity in milliseconds, as far as the index knows. */
  readonly score: number;
  readonly index: string;
}

/** Returns whether an entry waits for its conversation to be written: see the script `reserveIndexEntry`. */
export const isReserved = ({ score }: Entry): boolean => score % 1 !== 0;

export interface Range {
  readonly order: "newest" | "oldest";
  /** Milliseconds, both inclusive. Default: unbounded. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Start directly after this entry. */
  readonly after?: Pick<Entry, "id" | "score"> | undefined;
}

// Redis's order of equal scores.
const compareIds = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Compares by score, then by id. */
export const compareEntries = (a: Pick<Entry, "id" | "score">, b: Pick<Entry, "id" | "score">): number =>
  a.score - b.score || compareIds(a.id, b.id);

/** Reads an index in pages, each when the page before is used up. */
export function createScan(run: RunConversationScript, index: string, range: Range) {
  const { order, fromMs, toMs } = range;
  const direction = order === "newest" ? -1 : 1;
  let last = range.after;
  /** The number of read entries with the score of `last`. The next page repeats them. */
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

  /** Returns at most `size` further entries, or none at the end. */
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

/** Merges several scans, keeping their common order. */
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

/** The number of index entries in one call. */
const PAGE = 500;

/** Reads all entries of an index, each once. Skips the ids in `seen`. */
export function createEveryEntry(run: RunConversationScript) {
  /** Reads oldest first: a concurrent write moves its entry to the end, where this read still finds it. */
  return async function* everyEntry(
    index: string,
    seen = new Set<string>(),
  ): AsyncGenerator<readonly Entry[]> {
    const next = createScan(run, index, { order: "oldest" });
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
