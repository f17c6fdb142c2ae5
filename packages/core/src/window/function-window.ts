import type { MemoryIssue, Message } from "@jaf/memory";
import { parseMessages, sanitizeWithOrigins } from "@jaf/memory/engine";
import type { ContextLabel } from "../context/manifest.ts";
import { frozenCopy } from "../immutable/copy.ts";
import type { ShownMessages, WindowInput } from "./shown.ts";

/** Gets messages that can't be changed, in a list of its own. */
export type WindowFunction = (messages: readonly Message[]) => readonly Message[];

const leftOut: ContextLabel = { fate: "trimmed", reason: "function" };
const changed: ContextLabel = { fate: "repaired" };

/** Throws what the function throws, and a `TypeError` where it returns no messages. */
export function windowByFunction(
  path: string,
  window: WindowFunction,
): (input: WindowInput) => ShownMessages {
  return ({ messages, summary }) => {
    const given = toldApart(messages);
    const own = new Set(given);
    const returned = readReturned(window(given.slice()), own);
    const sanitized = sanitizeWithOrigins(returned);
    const { messages: shown } = sanitized;
    let labels: ReadonlyMap<Message | undefined, ContextLabel | undefined> | undefined;
    return {
      messages: shown,
      summary,
      label: (index) => {
        labels ??= labelsOf(returned, sanitized);
        return labels.has(given[index]) ? labels.get(given[index]) : leftOut;
      },
      issue: holdsNewest(given, shown, own) ? undefined : newestMissing(path),
    };
  };
}

const newestMissing = (path: string): MemoryIssue => ({
  path,
  expected:
    "a function that returns the newest message, with all results of the calls it belongs to, and the last user message, or what stands for them",
});

/** What is the conversation's own has been checked. */
function readReturned(returned: unknown, own: ReadonlySet<unknown>): readonly Message[] {
  if (!Array.isArray(returned)) throw new TypeError("it returned no list of messages");
  return Array.from(returned as readonly unknown[], (message, index) => {
    if (own.has(message)) return message as Message;
    const parsed = parseMessages([message]);
    if (parsed.success) return parsed.data[0] as Message;
    const [issue] = parsed.error._tag === "MemoryValidationError" ? parsed.error.issues : [];
    const where = issue?.path.replace("messages[0]", `[${index}]`);
    throw new TypeError(`it returned no list of messages: ${where}: expected ${issue?.expected}`);
  });
}

/**
 * Whether the model sees what it is to answer: the newest message, or all results that the history ends with, and the last
 * user message. A message of the function's own may stand for one of the same role, and for a result of the same call.
 */
function holdsNewest(
  given: readonly Message[],
  shown: readonly Message[],
  own: ReadonlySet<Message>,
): boolean {
  const kept = new Set(shown);
  const stand = new Set(shown.filter((message) => !own.has(message)).map(roleOf));
  const isThere = (message: Message) => kept.has(message) || stand.has(roleOf(message));
  const lastUser = given.findLast(({ role }) => role === "user");
  const newest = Math.min(given.findLastIndex(({ role }) => role !== "tool") + 1, given.length - 1);
  return given.slice(Math.max(0, newest)).every(isThere) && (lastUser === undefined || isThere(lastUser));
}

const roleOf = ({ role, tool_call_id: answers }: Message): string =>
  role === "tool" ? `${role}:${answers}` : role;

/** For each message that a function returned and that is shown, whether it had to be changed. */
function labelsOf(
  returned: readonly Message[],
  { messages, originOf }: ReturnType<typeof sanitizeWithOrigins<Message>>,
) {
  const labels = new Map<Message | undefined, ContextLabel | undefined>();
  for (const [index, message] of messages.entries()) {
    const original = returned[originOf(index)];
    labels.set(original, message === original ? undefined : changed);
  }
  return labels;
}

/** A message that stands in the list several times is copied, so that each can be told apart. */
function toldApart(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<Message>();
  return messages.map((message) => {
    const own = seen.has(message) ? frozenCopy(message) : message;
    seen.add(own);
    return own;
  });
}
