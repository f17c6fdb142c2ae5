import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { type Message, parseMessages, type RichMessage, type RichToolCall } from "@jaf/memory";
import { idIssue } from "@jaf/memory/adapter";
import * as z from "zod";
import { Failure } from "../exit.ts";

export interface Recording {
  /** The file and line, for error messages. */
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
    // Stores return 0 for -0.
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

/** Yields the conversations of a JSON Lines file. Throws a {@link Failure} with the line number if a line is invalid. */
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
 * Reads the whole file, to find invalid lines and messages that can't be replayed before any work. Throws a {@link Failure}
 * for the first one.
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

/** A message that no run of an agent can store in exactly this form. */
export interface Unreplayable {
  readonly index: number;
  /** Continues the error text after the message's number, e.g. "it is a reply without text or tool calls". */
  readonly reason: string;
}

/**
 * The first message that a run can't produce; `undefined` if there is none. A conversation may end anywhere, even with calls
 * without results. Results may have another order than their calls.
 */
export function firstUnreplayable(messages: readonly Message[]): Unreplayable | undefined {
  /** Ids of calls without results. */
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const reason =
      reasonOfPlace(messages, index, open) ??
      reasonOfForm(message) ??
      (message.role === "tool" ? reasonOfResult(message, open) : undefined);
    if (reason !== undefined) return { index, reason };
    if (message.role === "tool") open.delete(message.tool_call_id ?? "");
    else open = new Set(message.tool_calls?.map(({ id }) => id));
  }
  return undefined;
}

function reasonOfPlace(
  messages: readonly Message[],
  index: number,
  open: ReadonlySet<string>,
): string | undefined {
  const message = messages[index];
  const before = messages[index - 1];
  if (before === undefined) {
    return message?.role === "user" ? undefined : "a conversation begins with a user message";
  }
  if (message?.role === "tool") return undefined;
  if (open.size > 0) return "tool calls before it have no result";
  if (message?.role === "assistant") {
    return before.role === "assistant" ? "it is a second reply to the same messages" : undefined;
  }
  return before.role === "tool" && repeatsUnanswered(messages, index)
    ? "it repeats what was said before it and has no reply yet, which is taken for a retry"
    : undefined;
}

/** Whether the user messages from `start` repeat the last ones before the tool calls. */
function repeatsUnanswered(messages: readonly Message[], start: number): boolean {
  const end = messages.findIndex(({ role }, index) => index > start && role !== "user");
  const said = messages.slice(start, end === -1 ? undefined : end);
  const last = messages.findLastIndex(({ role }, index) => index < start && role === "user");
  return isDeepStrictEqual(said, messages.slice(Math.max(0, last + 1 - said.length), last + 1));
}

function reasonOfForm(message: Message): string | undefined {
  const { role, content, tool_calls: calls }: RichMessage = message;
  if (role === "user") return calls === undefined ? undefined : 'a user message has no "tool_calls"';
  if (typeof content !== "string") {
    return `its content is ${content === null ? "null" : "a list of parts"}, not text`;
  }
  const fields = role === "tool" ? ["role", "content", "tool_call_id"] : ["role", "content", "tool_calls"];
  const extra = firstExtra(message, fields);
  if (extra !== undefined) return `its field "${extra}" would be lost`;
  if (role === "tool") return undefined;
  if (calls === undefined) return content === "" ? "it is a reply without text or tool calls" : undefined;
  if (calls === null || calls.length === 0) return 'its "tool_calls" hold no call';
  return reasonOfCalls(calls);
}

function reasonOfCalls(calls: readonly RichToolCall[]): string | undefined {
  const ids = new Set<string>();
  for (const call of calls) {
    if (call.type !== "function") return "one of its calls is of a custom tool";
    const extra = firstExtra(call, ["id", "type", "function"]);
    if (extra !== undefined) return `the field "${extra}" of a tool call would be lost`;
    const extraOfFunction = firstExtra(call.function, ["name", "arguments"]);
    if (extraOfFunction !== undefined)
      return `the field "function.${extraOfFunction}" of a tool call would be lost`;
    if (call.function.name === "") return "a tool call names no function";
    if (!isObjectText(call.function.arguments))
      return "the arguments of a tool call are not the text of a JSON object";
    if (ids.has(call.id)) return "two of its tool calls have the same id";
    ids.add(call.id);
  }
  return undefined;
}

function reasonOfResult({ tool_call_id: id }: Message, open: ReadonlySet<string>): string | undefined {
  return typeof id === "string" && open.has(id)
    ? undefined
    : "it is a tool result, but no call right before it waits for it";
}

const firstExtra = (value: object, fields: readonly string[]): string | undefined =>
  Object.keys(value).find((field) => !fields.includes(field));

/** An empty text counts as `{}`. */
function isObjectText(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
