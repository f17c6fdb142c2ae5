import { createHash } from "node:crypto";
import type { Disk } from "./disk.ts";
import type { Entry } from "./entry.ts";
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

/** The logs of a folder, by conversation. Who calls sees to it that a log has one change at a time. */
export function createLogs(disk: Disk) {
  const logs = new Map<string, Log>();

  return {
    set: (conversationId: string, log: Log) => void logs.set(conversationId, log),
    lines: (conversationId: string): number => logs.get(conversationId)?.lines ?? 0,
    append: async (conversationId: string, entry: Entry): Promise<void> => {
      const log = logs.get(conversationId) ?? NONE;
      const { bytes, sum } = encodeLine(entry, log.sum);
      try {
        await disk.append(logName(conversationId), bytes, log);
        if (log.unflushed) await disk.flush();
      } catch (thrown) {
        // What lies behind the end is ours to take away, unless somebody else put it there.
        if (!isChangedByOthers(thrown)) logs.set(conversationId, { ...log, torn: true });
        throw thrown;
      }
      const length = log.length + bytes.length;
      logs.set(conversationId, { length, lines: log.lines + 1, sum, torn: false, unflushed: false });
    },
    rewrite: async (conversationId: string, entries: readonly Entry[]): Promise<void> => {
      const { bytes, sum } = encodeLines(entries);
      await disk.replace(logName(conversationId), bytes);
      const log = { length: bytes.length, lines: entries.length, sum, torn: false };
      logs.set(conversationId, { ...log, unflushed: true });
      await disk.flush();
      logs.set(conversationId, { ...log, unflushed: false });
    },
    remove: async (conversationIds: readonly string[]): Promise<void> => {
      await disk.remove(conversationIds.map(logName));
      for (const conversationId of conversationIds) logs.delete(conversationId);
    },
  };
}

export type Logs = ReturnType<typeof createLogs>;
