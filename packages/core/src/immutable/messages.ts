import type { ConversationMemory, Message } from "@jaf/memory";
import { MAX_DEPTH, parseMessages, present } from "@jaf/memory/internal";
import { frozenCopy } from "./copy.ts";

/** Returns the message itself if it is already deeply frozen; otherwise a frozen copy. */
export const ownMessage = (message: Message): Message => (isFixed(message) ? message : frozenCopy(message));

/** Returns frozen messages in a new list, which isn't frozen. */
// Loops over frozen lists are slow. Values that aren't messages are refused later.
export const ownMessages = (messages: readonly Message[]): readonly Message[] => messages.map(ownMessage);

/** Returns the list itself if it is already frozen; otherwise a frozen copy. */
export const frozenMessages = (messages: readonly Message[]): readonly Message[] =>
  Object.isFrozen(messages) ? messages : Object.freeze([...messages]);

/** Returns a frozen copy of a client's input. A value that can't be copied is returned unchanged. */
export function frozenInput<T>(sent: T): T {
  try {
    return isFixed(sent) ? sent : frozenCopy(sent);
  } catch {
    return sent;
  }
}

/** Returns the conversation that a store returned, with frozen messages. */
export function ownConversation(conversation: ConversationMemory): ConversationMemory {
  const { conversationId, userId, messages, metadata } = conversation;
  return {
    conversationId,
    ...present({ userId }),
    messages: ownMessages(messages),
    ...present({ metadata }),
  };
}

/** Returns whether a value can no longer change. Returns `false` if that isn't certain (e.g. for a cycle). */
function isFixed(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAX_DEPTH || !Object.isFrozen(value) || !isPlain(value)) return false;
  return Object.keys(value).every((key) => {
    const field = Object.getOwnPropertyDescriptor(value, key);
    return field !== undefined && "value" in field && isFixed(field.value, depth + 1);
  });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototype === Array.prototype;
}

export type StorableMessage =
  | { readonly ok: true; readonly message: Message }
  /** `problem`: the field that no store can hold (e.g. `annotations[1].at`), and the expected value. */
  | { readonly ok: false; readonly problem: string };

/** Returns a frozen copy of a message with all its fields. If no store can hold the message, returns the problem. */
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
  if (issue === undefined) return "it isn't a message";
  const path = issue.path.replace(/^messages\[0\]\.?/, "");
  return path === "" ? `expected ${issue.expected}` : `${path}: expected ${issue.expected}`;
}
