import type { ConversationMemory, Message } from "@jaf/memory";
import { parseMessages, present } from "@jaf/memory/internal";
import { frozenCopy } from "./copy.ts";

/** The message itself if it is frozen throughout, as those of our stores are, else a copy that can't be changed. */
export const ownMessage = (message: Message): Message => (isFixed(message) ? message : frozenCopy(message));

/**
 * Such messages in a list of the engine's own. Anything in the list that is no message is left to those who check it. The list
 * isn't frozen: loops over frozen ones are slow.
 */
export const ownMessages = (messages: readonly Message[]): readonly Message[] => messages.map(ownMessage);

/** The same list, as long as it can't be changed. */
export const frozenMessages = (messages: readonly Message[]): readonly Message[] =>
  Object.isFrozen(messages) ? messages : Object.freeze([...messages]);

/** What was sent, such that it can't be changed: what was checked is what is used. What can't be copied is left to those who check it. */
export function frozenInput<T>(sent: T): T {
  try {
    return isFixed(sent) ? sent : frozenCopy(sent);
  } catch {
    return sent;
  }
}

/** A conversation as a store gave it, with messages that can't be changed. */
export function ownConversation(conversation: ConversationMemory): ConversationMemory {
  const { conversationId, userId, messages, metadata } = conversation;
  return {
    conversationId,
    ...present({ userId }),
    messages: ownMessages(messages),
    ...present({ metadata }),
  };
}

/** Whether nothing can change it: freezing neither stops the methods of a date, a map or bytes, nor what a getter returns. */
function isFixed(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (!Object.isFrozen(value) || !isPlain(value)) return false;
  return Object.keys(value).every((key) => {
    const field = Object.getOwnPropertyDescriptor(value, key);
    return field !== undefined && "value" in field && isFixed(field.value);
  });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototype === Array.prototype;
}

export type StorableMessage =
  | { readonly ok: true; readonly message: Message }
  /** The field that no store can hold, e.g. `annotations[1].at`, and what is expected there; nothing of its content. */
  | { readonly ok: false; readonly problem: string };

/** A frozen copy of a message with whatever fields, if a store can hold it. */
export function storableMessage(message: object): StorableMessage {
  let copy: object;
  try {
    copy = frozenCopy(message);
  } catch {
    return { ok: false, problem: "it can't be read" };
  }
  const parsed = parseMessages([copy]);
  const [first] = parsed.success ? parsed.data : [];
  if (first !== undefined) return { ok: true, message: first };
  return { ok: false, problem: problemOf(parsed) };
}

function problemOf(parsed: ReturnType<typeof parseMessages>): string {
  const error = parsed.success ? undefined : parsed.error;
  const issue = error?._tag === "MemoryValidationError" ? error.issues[0] : undefined;
  if (issue === undefined) return "it is no message";
  const path = issue.path.replace(/^messages\[0\]\.?/, "");
  return path === "" ? `expected ${issue.expected}` : `${path}: expected ${issue.expected}`;
}
