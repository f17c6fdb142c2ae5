import { createHash } from "node:crypto";
import type { Disk } from "./disk.ts";
import { isChangedByOthers } from "./faults.ts";
import { encodeLine, encodeLines } from "./lines.ts";

/** The state of a log. */
export interface Log {
  readonly length: number;
  readonly lines: number;
  readonly sum: number;
  /** A write failed or was cut off: there may be bytes after `length`, which the next write removes. */
  readonly torn: boolean;
  /** The folder hasn't been flushed since the file was created or replaced. */
  readonly unflushed: boolean;
}

const NONE: Log = { length: 0, lines: 0, sum: 0, torn: false, unflushed: true };

const SUFFIX = ".jsonl";

/** A hash, since an id can be longer than a file name, contain a slash, or differ from another only in case. */
export const logName = (conversationId: string): string =>
  createHash("sha256").update(conversationId).digest("hex") + SUFFIX;

export const isLogName = (name: string): boolean => /^[0-9a-f]{64}\.jsonl$/.test(name);

/** The log of all tombstones. */
export const TOMBSTONES_NAME = `tombstones${SUFFIX}`;

/** The logs of a folder. `nameOf` returns the file name for an id. Callers must make one change of a log at a time. */
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
        // The next write removes bytes after the end, unless another program wrote them.
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
