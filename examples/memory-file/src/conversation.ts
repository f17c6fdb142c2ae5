import { type ConversationWrite, IDEMPOTENCY_WINDOW, type JsonObject, type WriteOutcome } from "@jaf/memory";
import type { LoggedMessage, WriteEntry } from "./entry.ts";

interface HeldMessage extends LoggedMessage {
  /** Which of the log's lines that hold messages it came with. */
  readonly batch: number;
}

/** A conversation in memory. It is changed in place: a copy would cost more the longer the conversation is. */
export interface Conversation {
  readonly conversationId: string;
  readonly createdAt: number;
  readonly messages: HeldMessage[];
  /** By key, oldest first; `write` is the number of the write that brought it. */
  readonly keys: Map<string, { readonly bodyHash: string; readonly write: number }>;
  readonly traceIds: Set<string>;
  userId: string | undefined;
  metadata: JsonObject;
  lastActivity: number;
  ttlSeconds: number | undefined;
  version: number;
  writes: number;
  /** How many lines with messages the log had so far. */
  batches: number;
}

export const isLive = ({ lastActivity, ttlSeconds }: Conversation, now: number): boolean =>
  ttlSeconds === undefined || now < lastActivity + ttlSeconds * 1_000;

/** What forbids the write, or lets it count as done; `undefined` to go ahead. */
export function decide(held: Conversation | undefined, write: ConversationWrite): WriteOutcome | undefined {
  if (held?.userId !== undefined && write.userId !== undefined && held.userId !== write.userId) {
    return { status: "conflict", reason: "owner" };
  }
  const known = write.idempotency && held?.keys.get(write.idempotency.key);
  if (known !== undefined) {
    return known.bodyHash === write.idempotency?.bodyHash
      ? { status: "replayed" }
      : { status: "conflict", reason: "idempotency-key" };
  }
  const actualVersion = held?.version ?? 0;
  if (write.expectedVersion !== undefined && write.expectedVersion !== actualVersion) {
    return { status: "conflict", reason: "version", actualVersion };
  }
  return undefined;
}

function begin(conversationId: string, now: number): Conversation {
  return {
    conversationId,
    createdAt: now,
    messages: [],
    keys: new Map(),
    traceIds: new Set(),
    userId: undefined,
    metadata: {},
    lastActivity: now,
    ttlSeconds: undefined,
    version: 0,
    writes: 0,
    batches: 0,
  };
}

function trim(messages: HeldMessage[], maxMessages: number): void {
  const cut = messages.length - maxMessages;
  if (cut <= 0) return;
  let start = cut;
  while (messages[start]?.isToolResult) start += 1;
  if (start === messages.length) {
    const lastGroup = messages.findLastIndex(({ isToolResult }) => !isToolResult);
    start = lastGroup >= 0 ? lastGroup : cut;
  }
  messages.splice(0, start);
}

function rememberKey({ keys, writes }: Conversation, idempotency: WriteEntry["idempotency"]): void {
  for (const [key, { write }] of keys) {
    if (write >= writes - IDEMPOTENCY_WINDOW) break;
    keys.delete(key);
  }
  if (idempotency !== undefined) keys.set(idempotency.key, { bodyHash: idempotency.bodyHash, write: writes });
}

export function addMessages(held: Conversation, messages: readonly LoggedMessage[]): void {
  if (messages.length === 0) return;
  held.batches += 1;
  for (const message of messages) held.messages.push({ ...message, batch: held.batches });
}

/** How many of the log's lines still hold a message. */
export function liveLines({ messages }: Conversation): number {
  const [first] = messages;
  const last = messages.at(-1);
  return first === undefined || last === undefined ? 0 : last.batch - first.batch + 1;
}

/** Does what a line of the log says; the same for a write that was just saved and for one read at the start. */
export function applyWrite(held: Conversation | undefined, entry: WriteEntry): Conversation | undefined {
  const after = entry.begins === undefined ? held : begin(entry.begins, entry.at);
  if (after === undefined) return undefined;
  const replaces = entry.mode === "replace";
  if (replaces) after.messages.length = 0;
  after.writes += 1;
  addMessages(after, entry.messages);
  if (entry.maxMessages !== undefined) trim(after.messages, entry.maxMessages);
  after.version += entry.messages.length;
  after.metadata = replaces ? entry.metadata : { ...after.metadata, ...entry.metadata };
  after.userId ??= entry.userId;
  after.ttlSeconds = entry.ttlSeconds ?? after.ttlSeconds;
  after.lastActivity = Math.max(entry.at, after.lastActivity);
  if (entry.traceId !== undefined) after.traceIds.add(entry.traceId);
  rememberKey(after, entry.idempotency);
  return after;
}
