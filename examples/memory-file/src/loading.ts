import { addMessages, applyWrite, type Conversation } from "./conversation.ts";
import { type Disk, isUnfinished } from "./disk.ts";
import { type Entry, entrySchema } from "./entry.ts";
import { damagedLog } from "./faults.ts";
import { decodeLines } from "./lines.ts";
import { isLogName, type Log, logName } from "./logs.ts";
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

function parseEntry(text: string, damaged: (reason: string) => Error): Entry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged("no JSON"); // Not the parser's message: it would quote the conversation.
  }
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) throw damaged("a shape that this version doesn't know");
  return parsed.data;
}

/** `undefined` for a log whose first line was cut off: nothing in it was ever acknowledged. */
function loadLog(name: string, bytes: Buffer): LoadedLog | undefined {
  const lines = decodeLines(bytes);
  if ("damagedLine" in lines) throw damagedLog(name, `line ${lines.damagedLine}`);
  let conversation: Conversation | undefined;
  for (const [index, text] of lines.entries.entries()) {
    const damaged = (reason: string) => damagedLog(name, `line ${index + 1}: ${reason}`);
    conversation = replay(conversation, parseEntry(text, damaged));
    if (conversation === undefined) throw damaged("no conversation begins there");
  }
  if (conversation === undefined) return undefined;
  if (logName(conversation.conversationId) !== name) throw damagedLog(name, "it is another file's copy");
  const { length, sum } = lines;
  const torn = length < bytes.length;
  return { conversation, log: { length, lines: lines.entries.length, sum, torn, unflushed: torn } };
}

/**
 * Reads every log of the folder, and takes away what crashes left unfinished. After a crash a line may be there that
 * nobody flushed: it is flushed before anybody reads it.
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
