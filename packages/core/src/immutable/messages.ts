import type { ConversationMemory, Message, ModelOrigin, RichMessage, ToolCall } from "@jaf/memory";
import { frozenCopy } from "./copy.ts";

/** Lists that were given out, and all that is in them: whoever hands one back need not be doubted. */
const knownFrozen = new WeakSet<readonly unknown[]>();

/**
 * The same messages in a list of the engine's own, each such that nobody can change it: the very one if it is frozen
 * throughout, as those of our stores are, else a copy. What is no message is left to whoever checks it.
 */
export function ownMessages(messages: readonly Message[]): readonly Message[] {
  if (knownFrozen.has(messages)) return [...messages];
  const own = new Array<Message>(messages.length);
  for (let index = 0; index < own.length; index++) own[index] = ownMessage(messages[index] as Message);
  return own;
}

/**
 * The same for messages that are stored nowhere. Of the usual ones, keys that are symbols aren't copied: only a store
 * refuses them, and to look for them takes as long as all the rest.
 */
export function ownUnstoredMessages(messages: readonly Message[]): readonly Message[] {
  if (knownFrozen.has(messages)) return [...messages];
  // Whoever freezes messages freezes the first, too; to copy one that is frozen does no harm.
  if (Object.isFrozen(messages[0])) return ownMessages(messages);
  const own = new Array<Message>(messages.length);
  for (let index = 0; index < own.length; index++) {
    const message = messages[index] as Message;
    own[index] = isObject(message) ? copyOf(message) : message;
  }
  return own;
}

/** The same list, as long as nobody can change it. Loops over frozen arrays are slow, so the engine keeps none itself. */
export function frozenMessages(messages: readonly Message[]): readonly Message[] {
  const list = Object.isFrozen(messages) ? messages : Object.freeze([...messages]);
  knownFrozen.add(list);
  return list;
}

const NOTHING: readonly unknown[] = Object.freeze([]);
const inputs = new WeakSet<object>([NOTHING]);

/**
 * What somebody sent, such that nobody can change it: what was judged is what is used. The same copy for a copy. What can't
 * be copied is left to whoever checks it.
 */
export function frozenInput<T>(sent: T): T {
  if (typeof sent !== "object" || sent === null || inputs.has(sent)) return sent;
  if (Array.isArray(sent) && sent.length === 0) return NOTHING as T;
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

/** The message itself if it is frozen throughout, else a copy that nobody can change. */
export function ownMessage(message: Message): Message {
  if (!isObject(message) || isFixed(message)) return message;
  const mayBeUsual = message.tool_calls === undefined && Object.getOwnPropertySymbols(message).length === 0;
  return mayBeUsual ? copyOf(message) : frozenCopy(message);
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

function isFixed(value: object): boolean {
  if (!Object.isFrozen(value)) return false;
  for (const key in value) {
    const field: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof field === "object" && field !== null && !isFixed(field)) return false;
  }
  return true;
}

const copyOf = (message: Message): Message => copyOfUsual(message) ?? frozenCopy(message);

/**
 * Of a text, of a reply with tool calls and of a result, with the origin of a reply, as nearly all messages are: several
 * times as fast.
 */
function copyOfUsual(message: Message): Message | undefined {
  // Twice as fast as to ask for the prototype.
  if (message.constructor !== Object) return undefined;
  let fields = 0;
  let hasOrigin = false;
  for (const key in message) {
    if (key === "role" || key === "content") continue;
    if (key === "origin") {
      hasOrigin = true;
      continue;
    }
    if (key !== "tool_calls" && key !== "tool_call_id") return undefined;
    fields += key === "tool_calls" ? 1 : 2;
  }
  const copy = copyOfFields(message, fields);
  if (copy === undefined || !hasOrigin) return copy && Object.freeze(copy);
  const origin = copyOfOrigin(message);
  return origin && Object.freeze({ ...copy, origin });
}

/** `fields`: 1 for calls, and 2 for the id of the call that is answered. */
function copyOfFields(message: Message, fields: number): Message | undefined {
  const { role, content } = message;
  if (typeof role !== "string" || typeof content !== "string") return undefined;
  if (fields === 0) return { role, content };
  if (fields === 2) return copyOfResult(role, content, message.tool_call_id);
  return fields === 1 ? copyOfCalling(role, content, message.tool_calls) : undefined;
}

function copyOfOrigin({ origin }: RichMessage): ModelOrigin | undefined {
  if (!isPlain(origin) || Object.keys(origin).length !== 3) return undefined;
  const { provider, api, model } = origin;
  if (typeof provider !== "string" || typeof api !== "string" || typeof model !== "string") return undefined;
  return Object.freeze({ provider, api, model });
}

function copyOfResult(
  role: Message["role"],
  content: string,
  id: Message["tool_call_id"],
): Message | undefined {
  return typeof id === "string" ? { role, content, tool_call_id: id } : undefined;
}

function copyOfCalling(
  role: Message["role"],
  content: string,
  calls: Message["tool_calls"],
): Message | undefined {
  if (!Array.isArray(calls)) return undefined;
  const copies = new Array<ToolCall>(calls.length);
  for (let index = 0; index < copies.length; index++) {
    const copy = copyOfCall(calls[index]);
    if (copy === undefined) return undefined;
    copies[index] = copy;
  }
  return { role, content, tool_calls: Object.freeze(copies) };
}

function copyOfCall(call: ToolCall | undefined): ToolCall | undefined {
  if (!isPlain(call) || !isPlain(call.function)) return undefined;
  for (const key in call) if (key !== "id" && key !== "type" && key !== "function") return undefined;
  for (const key in call.function) if (key !== "name" && key !== "arguments") return undefined;
  const { id, type } = call;
  const { name, arguments: text } = call.function;
  if (typeof id !== "string" || typeof type !== "string") return undefined;
  if (typeof name !== "string" || typeof text !== "string") return undefined;
  return Object.freeze({ id, type, function: Object.freeze({ name, arguments: text }) });
}

const isPlain = <T>(value: T | undefined): value is T & object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
