import type * as z from "zod";
import { addMessages, applyWrite, type Conversation } from "./conversation.ts";
import { type Disk, isUnfinished } from "./disk.ts";
import { type Entry, entrySchema, type TombstonesEntry, tombstonesSchema } from "./entry.ts";
import { damagedLog } from "./faults.ts";
import { decodeLines } from "./lines.ts";
import { isLogName, type Log, logName, TOMBSTONES_NAME } from "./logs.ts";
import { restore } from "./snapshot.ts";

export interface LoadedLog {
  readonly conversation: Conversation;
  readonly log: Log;
}

function replay(held: Conversation | undefined, entry: Entry): Conversation | undefined {
  if (entry.kind === "write") return applyWrite(held, entry);
  if (entry.kind === "snapshot") return restore(entry);
  if (held !== undefined) addMessages(held, entry.messages);
  return held;
}

interface ParsedLog<Entry> {
  readonly entries: readonly Entry[];
  readonly log: Log;
}

type Damaged = (reason: string) => Error;

function parseEntry<Entry>(text: string, schema: z.ZodType<Entry>, damaged: Damaged): Entry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged("no JSON"); // Without the parser's message, which would quote the conversation.
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw damaged("an entry that this version can't read");
  return parsed.data;
}

const damagedLine =
  (name: string, index: number): Damaged =>
  (reason) =>
    damagedLog(name, `line ${index + 1}: ${reason}`);

function parseLog<Entry>(name: string, bytes: Buffer, schema: z.ZodType<Entry>): ParsedLog<Entry> {
  const lines = decodeLines(bytes);
  if ("damagedLine" in lines) throw damagedLog(name, `line ${lines.damagedLine}`);
  const { length, sum } = lines;
  const torn = length < bytes.length;
  return {
    entries: lines.entries.map((text, index) => parseEntry(text, schema, damagedLine(name, index))),
    log: { length, lines: lines.entries.length, sum, torn, unflushed: torn },
  };
}

/** Returns `undefined` if the first line was cut off: no write to this log was ever acknowledged. */
function loadLog(name: string, bytes: Buffer): LoadedLog | undefined {
  const { entries, log } = parseLog(name, bytes, entrySchema);
  let conversation: Conversation | undefined;
  for (const [index, entry] of entries.entries()) {
    conversation = replay(conversation, entry);
    if (conversation === undefined) throw damagedLine(name, index)("no conversation begins here");
  }
  if (conversation === undefined) return undefined;
  if (logName(conversation.conversationId) !== name) throw damagedLog(name, "it is a copy of another log");
  return { conversation, log };
}

/** Returns `undefined` if there is no log of tombstones. */
export async function loadTombstones(
  disk: Disk,
  { afterCrash }: { readonly afterCrash: boolean },
): Promise<ParsedLog<TombstonesEntry> | undefined> {
  if (!(await disk.list()).includes(TOMBSTONES_NAME)) return undefined;
  if (afterCrash) await disk.flushFile(TOMBSTONES_NAME);
  return parseLog(TOMBSTONES_NAME, await disk.read(TOMBSTONES_NAME), tombstonesSchema);
}

/**
 * Reads every log of the folder and deletes files that crashes left unfinished. After a crash, a log may end with a
 * line that was never flushed, so each log is flushed before it is read.
 */
export async function loadLogs(
  disk: Disk,
  { afterCrash }: { readonly afterCrash: boolean },
): Promise<readonly LoadedLog[]> {
  const names = await disk.list();
  const leftovers = names.filter(isUnfinished);
  const loaded: LoadedLog[] = [];
  for (const name of names.filter(isLogName)) {
    if (afterCrash) await disk.flushFile(name);
    const found = loadLog(name, await disk.read(name));
    if (found === undefined) leftovers.push(name);
    else loaded.push(found);
  }
  if (leftovers.length > 0) await disk.remove(leftovers);
  else if (afterCrash) await disk.flush();
  return loaded;
}
