import { isDeepStrictEqual } from "node:util";
import type { Message, RichMessage, RichToolCall } from "@jaf/memory";

/** What no run of an agent can store again exactly as it is. */
export interface Unreplayable {
  readonly index: number;
  /** Reads on behind the message's number, e.g. "it is a reply without text or tool calls". */
  readonly reason: string;
}

/**
 * The first message that a run can't produce again, `undefined` if there is none. A conversation may end anywhere,
 * also with calls that have no results, or only some. Results may come in another order than the calls.
 */
export function firstUnreplayable(messages: readonly Message[]): Unreplayable | undefined {
  /** Ids of the calls that wait for their results. */
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

/** Whether the user messages from there on are, in front of the tool calls, the last that were said. */
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

/** No text at all stands for `{}`. */
function isObjectText(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
