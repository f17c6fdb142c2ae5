import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { Failure } from "../exit.ts";

/**
 * A log of the tool calls that a replay has executed, next to the store. It counts repeated calls of finished tools. A line is
 * written when a tool starts, and when a conversation is loaded or a run ends, with the number of durable messages.
 * Throws a {@link Failure} if it can't write.
 */
export interface Ledger {
  /** Logs the start of the tool that has its result at message `index`. */
  readonly started: (conversationId: string, index: number) => void;
  readonly durable: (conversationId: string, messages: number) => void;
}

type Entry = readonly ["run" | "kept", string, number];

export const executionsFile = (folder: string): string => join(folder, "replay-executions.jsonl");

export function openLedger(folder: string): Ledger {
  function write(entry: Entry): void {
    try {
      appendFileSync(executionsFile(folder), `${JSON.stringify(entry)}\n`);
    } catch (thrown) {
      throw new Failure(
        `${executionsFile(folder)} can't be written: ${reasonOf(codeOf(thrown))}.\nStored messages are kept. Run the replay again to continue.`,
      );
    }
  }
  return {
    started: (conversationId, index) => write(["run", conversationId, index]),
    durable: (conversationId, messages) => write(["kept", conversationId, messages]),
  };
}

export interface Executions {
  readonly calls: number;
  readonly executions: number;
  /** Executions of calls with a durable result. Must be 0. */
  readonly repeatedAfterFinish: number;
  /** Repeated executions of calls that were running when an earlier replay was killed. */
  readonly repeatedAfterCrash: number;
}

interface Counted {
  kept: number;
  readonly seen: Set<number>;
}

/** Reads the log. `undefined` if nothing was replayed into the folder. Throws a {@link Failure} if it can't be read. */
export function readExecutions(folder: string): Executions | undefined {
  const text = readLog(executionsFile(folder));
  if (text === undefined) return undefined;
  const conversations = new Map<string, Counted>();
  const total = { calls: 0, executions: 0, repeatedAfterFinish: 0, repeatedAfterCrash: 0 };
  for (const line of text.split("\n")) {
    const entry = parseEntry(line);
    if (entry === undefined) continue;
    const [kind, conversationId, count] = entry;
    const counted = conversations.get(conversationId) ?? { kept: 0, seen: new Set() };
    conversations.set(conversationId, counted);
    if (kind === "kept") {
      // Never decreases: a store that lost acknowledged messages must not hide that their calls run again.
      counted.kept = Math.max(count, counted.kept);
      continue;
    }
    total.executions += 1;
    if (count < counted.kept) total.repeatedAfterFinish += 1;
    else if (counted.seen.has(count)) total.repeatedAfterCrash += 1;
    else total.calls += 1;
    counted.seen.add(count);
  }
  return total;
}

function readLog(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return undefined;
    throw new Failure(`${file} can't be read: ${reasonOf(code)}.`);
  }
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown reason";

function reasonOf(code: string): string {
  if (code === "ENOSPC") return "the disk is full; free some space";
  if (code === "EISDIR") return "it is a folder; move it away";
  return code;
}

const entrySchema = z.tuple([z.enum(["run", "kept"]), z.string(), z.int().nonnegative()]);

/** `undefined` for invalid lines, such as the incomplete last line of a killed run. */
function parseEntry(line: string): Entry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
