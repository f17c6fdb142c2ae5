import { list, text } from "../lua.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/** A conversation's entry in an index. */
export interface Entry {
  readonly id: string;
  /** Its last activity in milliseconds, or what the index takes for it. */
  readonly score: number;
  readonly index: string;
}

/** Whether it waits for its conversation to be written: see the script `reserveIndexEntry`. */
export const isReserved = ({ score }: Entry): boolean => score % 1 !== 0;

export interface Range {
  readonly order: "newest" | "oldest";
  /** In milliseconds, both inclusive; absent: unbounded. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Begin right behind this entry. */
  readonly after?: Pick<Entry, "id" | "score"> | undefined;
}

// As Redis orders equal scores.
const compareIds = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** By score, then by id. */
export const compareEntries = (a: Pick<Entry, "id" | "score">, b: Pick<Entry, "id" | "score">): number =>
  a.score - b.score || compareIds(a.id, b.id);

/** Reads an index page by page; each page is read when the one before is used up. */
export function createScan(run: RunConversationScript, index: string, range: Range) {
  const { order, fromMs, toMs } = range;
  const direction = order === "newest" ? -1 : 1;
  let last = range.after;
  /** How many entries with the score of `last` were seen, all of which the next page begins with. */
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

  /** The next entries, at most `size`; none at the end. */
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
      // A full page may contain nothing new: many entries of one score, read from a cursor.
      if (fresh.length > 0 || found.length < asked) return fresh;
      ties = asked;
    }
  };
}

export type Scan = ReturnType<typeof createScan>;

/** Several scans as one, in the order that all of them have. */
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

/** Entries of an index fetched at once. */
const PAGE = 500;

/** Reads all entries of an index, once each. `seen`: the ids of those that are passed over. */
export function createEveryEntry(run: RunConversationScript) {
  /** Oldest first: what is written meanwhile moves to the end, and is met there instead of being missed. */
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
