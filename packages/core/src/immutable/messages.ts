import type { ConversationMemory, Message } from "@jaf/memory";
import { frozenCopy } from "./copy.ts";

/** Lists that were given out, and all that is in them: whoever hands one back need not be doubted. */
const givenOut = new WeakSet<readonly unknown[]>();

/**
 * The same messages in a list of the engine's own, each such that nobody can change it: the very one if it is frozen
 * throughout, as those of our stores are, else a copy. What is no message is left to whoever checks it.
 */
export function ownMessages(messages: readonly Message[]): readonly Message[] {
  if (givenOut.has(messages)) return [...messages];
  const own = new Array<Message>(messages.length);
  for (let index = 0; index < own.length; index++) own[index] = ownMessage(messages[index] as Message);
  return own;
}

/** The same list, as long as nobody can change it. Loops over frozen arrays are slow, so the engine keeps none itself. */
export function frozenMessages(messages: readonly Message[]): readonly Message[] {
  const list = Object.isFrozen(messages) ? messages : Object.freeze([...messages]);
  givenOut.add(list);
  return list;
}

const inputs = new WeakSet<object>();

/**
 * What somebody sent, such that nobody can change it: what was judged is what is used. The same copy for a copy. What can't
 * be copied is left to whoever checks it.
 */
export function frozenInput<T>(sent: T): T {
  if (typeof sent !== "object" || sent === null || inputs.has(sent)) return sent;
  try {
    const copy = frozenCopy(sent);
    if (copy !== sent) inputs.add(copy as object);
    return copy;
  } catch {
    return sent;
  }
}

/** A conversation as a store gave it, with messages that nobody can change. */
export function ownConversation(conversation: ConversationMemory): ConversationMemory {
  const { conversationId, userId, messages, metadata } = conversation;
  return {
    conversationId,
    ...(userId === undefined ? {} : { userId }),
    messages: ownMessages(messages),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function ownMessage(message: Message): Message {
  if (typeof message !== "object" || message === null || isFixed(message)) return message;
  return copyOfUsual(message) ?? frozenCopy(message);
}

function isFixed(value: object): boolean {
  if (!Object.isFrozen(value)) return false;
  for (const key in value) {
    const field: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof field === "object" && field !== null && !isFixed(field)) return false;
  }
  return true;
}

/** Of a message of text alone, as nearly all are: several times as fast. */
function copyOfUsual(message: Message): Message | undefined {
  if (Object.getPrototypeOf(message) !== Object.prototype) return undefined;
  for (const key in message) if (key !== "role" && key !== "content") return undefined;
  const { role, content } = message;
  return typeof content === "string" && Object.getOwnPropertySymbols(message).length === 0
    ? Object.freeze({ role, content })
    : undefined;
}
