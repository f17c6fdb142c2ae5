import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type Message, parseMessages } from "@jaf/memory";
import { idIssue } from "@jaf/memory/adapter";
import * as z from "zod";
import { Failure } from "../failure.ts";
import { firstUnreplayable } from "./replayable.ts";

export interface Recording {
  /** The file and its line, for error messages. */
  readonly where: string;
  readonly conversationId: string;
  readonly userId?: string | undefined;
  readonly messages: readonly Message[];
}

export interface RecordingSize {
  readonly conversations: number;
  readonly messages: number;
}

const idSchema = z.string().superRefine((id, context) => {
  const issue = idIssue("", id);
  if (issue !== undefined) context.addIssue(`expected ${issue.expected}`);
});

const lineSchema = z.looseObject({
  conversationId: idSchema,
  userId: idSchema.optional(),
  messages: z.array(z.unknown()),
});

function parseLine(text: string, where: string): Recording {
  let json: unknown;
  try {
    // Stores give back 0 for -0.
    json = JSON.parse(text, (_key, value: unknown) => (Object.is(value, -0) ? 0 : value));
  } catch {
    throw new Failure(`${where}: this line is not JSON. One conversation a line is expected.`);
  }
  const line = lineSchema.safeParse(json);
  if (!line.success) {
    const [issue] = line.error.issues;
    throw new Failure(
      `${where}: ${issue?.path.join(".") || "the line"}: ${issue?.message ?? "not a conversation"}.`,
    );
  }
  const messages = parseMessages(line.data.messages);
  if (!messages.success) throw new Failure(`${where}: ${messages.error.message}`);
  const { conversationId, userId } = line.data;
  return { where, conversationId, userId, messages: messages.data };
}

const BYTE_ORDER_MARK = /^\uFEFF/;

/** The conversations of a JSON-lines file, one at a time. Throws a {@link Failure} that names the line it is about. */
export async function* readRecordings(file: string): AsyncGenerator<Recording> {
  const lines = createInterface({
    input: createReadStream(file, "utf8"),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let number = 0;
  try {
    for await (const line of lines) {
      number += 1;
      const text = number === 1 ? line.replace(BYTE_ORDER_MARK, "") : line;
      if (text.trim() !== "") yield parseLine(text, `${file}, line ${number}`);
    }
  } catch (thrown) {
    throw thrown instanceof Failure ? thrown : new Failure(readFailure(file, thrown));
  }
}

function readFailure(file: string, thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code === "ENOENT") return `${file}: there is no such file.`;
  if (code === "EISDIR") return `${file} is a folder; a file of JSON lines is expected.`;
  if (code === "EACCES") return `${file}: no permission to read it.`;
  return `${file} can't be read${typeof code === "string" ? ` (${code})` : ""}.`;
}

/**
 * Reads the whole file once, so that a bad line, or a message that no run can store again, is known before any work is
 * done on it. Throws a {@link Failure} that names it.
 */
export async function checkRecordings(file: string): Promise<RecordingSize> {
  const seen = new Set<string>();
  let messages = 0;
  for await (const recording of readRecordings(file)) {
    if (seen.has(recording.conversationId)) {
      throw new Failure(`${file}: conversation "${recording.conversationId}" is in it twice.`);
    }
    const unreplayable = firstUnreplayable(recording.messages);
    if (unreplayable !== undefined) {
      const { index, reason } = unreplayable;
      throw new Failure(`${recording.where}, message ${index + 1} can't be replayed: ${reason}.`);
    }
    seen.add(recording.conversationId);
    messages += recording.messages.length;
  }
  return { conversations: seen.size, messages };
}
