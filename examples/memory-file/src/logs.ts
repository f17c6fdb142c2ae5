import { createHash } from "node:crypto";
import type { Disk } from "./disk.ts";
import { isChangedByOthers } from "./faults.ts";
import { encodeLine, encodeLines } from "./lines.ts";

/** Where a log stands. */
export interface Log {
  readonly length: number;
  readonly lines: number;
  readonly sum: number;
  /** A write failed or was cut off: bytes may lie behind `length`, and the next write takes them away. */
  readonly torn: boolean;
  /** The folder doesn't name this file for good yet. */
  readonly unflushed: boolean;
}

const NONE: Log = { length: 0, lines: 0, sum: 0, torn: false, unflushed: true };

const SUFFIX = ".jsonl";

/** A hash, since an id may be longer than a file name, hold a slash, or differ from another in case alone. */
export const logName = (conversationId: string): string =>
  createHash("sha256").update(conversationId).digest("hex") + SUFFIX;

export const isLogName = (name: string): boolean => /^[0-9a-f]{64}\.jsonl$/.test(name);

/** The log of all tombstones. */
export const TOMBSTONES_NAME = `tombstones${SUFFIX}`;

/** Logs of a folder, by what `nameOf` makes a file's name of. Who calls sees to it that a log has one change at a time. */
export function createLogs<Entry extends object>(disk: Disk, nameOf: (id: string) => string) {
  const logs = new Map<string, Log>();

  return {
    set: (id: string, log: Log) => void logs.set(id, log),
    lines: (id: string): number => logs.get(id)?.lines ?? 0,
    append: async (id: string, entry: Entry): Promise<void> => {
      const log = logs.get(id) ?? NONE;
      const { bytes, sum } = encodeLine(entry, log.sum);
      try {
        await disk.append(nameOf(id), bytes, log);
        if (log.unflushed) await disk.flush();
      } catch (thrown) {
        // What lies behind the end is ours to take away, unless somebody else put it there.
        if (!isChangedByOthers(thrown)) logs.set(id, { ...log, torn: true });
        throw thrown;
      }
      const length = log.length + bytes.length;
      logs.set(id, { length, lines: log.lines + 1, sum, torn: false, unflushed: false });
    },
    rewrite: async (id: string, entries: readonly Entry[]): Promise<void> => {
      const { bytes, sum } = encodeLines(entries);
      await disk.replace(nameOf(id), bytes);
      const log = { length: bytes.length, lines: entries.length, sum, torn: false };
      logs.set(id, { ...log, unflushed: true });
      await disk.flush();
      logs.set(id, { ...log, unflushed: false });
    },
    remove: async (ids: readonly string[]): Promise<void> => {
      await disk.remove(ids.map(nameOf));
      for (const id of ids) logs.delete(id);
    },
  };
}

export type Logs<Entry extends object> = ReturnType<typeof createLogs<Entry>>;
