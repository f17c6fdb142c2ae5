import {
  type ConversationWrite,
  type EncodedMessage,
  IDEMPOTENCY_WINDOW,
  type StoredConversation,
  type StoredMessage,
  type WriteOutcome,
} from "../backend/backend.ts";
import { decodeMessage } from "../codec/decode.ts";
import { DATE_KEY, type JsonObject } from "../codec/json.ts";
import { trimStart } from "./trim.ts";

interface HeldMessage {
  readonly stored: StoredMessage;
  readonly isToolResult: boolean;
}

/** Decoded once and for all readers, as it is frozen; text if it may hold a `Date`, which nothing can freeze. */
const hold = ({ body, isToolResult }: EncodedMessage, index: number): HeldMessage => ({
  stored: body.includes(DATE_KEY) ? body : decodeMessage(body, index),
  isToolResult,
});

/**
 * A conversation as this process holds it. Writes change it in place, in one synchronous step, so that an append
 * costs what its batch costs; readers get copies.
 */
export interface Entry {
  readonly conversationId: string;
  readonly createdAt: Date;
  readonly messages: HeldMessage[];
  readonly traceIds: Set<string>;
  /** By idempotency key, oldest first. */
  readonly keys: Map<string, { readonly bodyHash: string; readonly write: number }>;
  userId: string | undefined;
  metadata: JsonObject;
  lastActivity: Date;
  version: number;
  ttlSeconds: number | undefined;
  writes: number;
}

export const createEntry = (conversationId: string, now: Date): Entry => ({
  conversationId,
  createdAt: now,
  messages: [],
  traceIds: new Set(),
  keys: new Map(),
  userId: undefined,
  metadata: {},
  lastActivity: now,
  version: 0,
  ttlSeconds: undefined,
  writes: 0,
});

/** In milliseconds, like `Date.now()`. */
export const expiryTime = ({ ttlSeconds, lastActivity }: Entry): number =>
  ttlSeconds === undefined ? Number.POSITIVE_INFINITY : lastActivity.getTime() + ttlSeconds * 1_000;

export const isExpired = (entry: Entry, now: number): boolean => now >= expiryTime(entry);

/** What forbids the write, or lets it count as done; `undefined` to go ahead. */
export function decideWrite(entry: Entry | undefined, write: ConversationWrite): WriteOutcome | undefined {
  if (entry?.userId !== undefined && write.userId !== undefined && entry.userId !== write.userId) {
    return { status: "conflict", reason: "owner" };
  }
  const known = write.idempotency && entry?.keys.get(write.idempotency.key);
  if (known !== undefined) {
    return known.bodyHash === write.idempotency?.bodyHash
      ? { status: "replayed" }
      : { status: "conflict", reason: "idempotency-key" };
  }
  const actualVersion = entry?.version ?? 0;
  if (write.expectedVersion !== undefined && write.expectedVersion !== actualVersion) {
    return { status: "conflict", reason: "version", actualVersion };
  }
  return undefined;
}

/** `maxMessages` is the tighter of the write's and the provider's limit. */
export function applyWrite(
  entry: Entry,
  write: ConversationWrite,
  { now, maxMessages }: { readonly now: Date; readonly maxMessages: number },
): void {
  if (write.mode === "replace") {
    entry.messages.length = 0;
    entry.metadata = {};
  }
  for (const [index, message] of write.messages.entries()) entry.messages.push(hold(message, index));
  entry.messages.splice(
    0,
    trimStart(entry.messages, maxMessages, ({ isToolResult }) => isToolResult),
  );
  if (write.traceId !== undefined) entry.traceIds.add(write.traceId);
  entry.userId ??= write.userId;
  entry.metadata = { ...entry.metadata, ...write.metadata };
  entry.lastActivity = now;
  entry.version += write.messages.length;
  entry.ttlSeconds = write.ttlSeconds ?? entry.ttlSeconds;
  entry.writes += 1;
  rememberKey(entry, write);
}

function rememberKey({ keys, writes }: Entry, { idempotency }: ConversationWrite): void {
  if (idempotency !== undefined) keys.set(idempotency.key, { bodyHash: idempotency.bodyHash, write: writes });
  for (const [key, known] of keys) {
    if (known.write >= writes - IDEMPOTENCY_WINDOW) break;
    keys.delete(key);
  }
}

export function toStored(
  entry: Entry,
  select: { readonly last?: number; readonly includeMessages?: boolean },
): StoredConversation {
  const { conversationId, userId, metadata, createdAt, lastActivity, version } = entry;
  const { last, includeMessages = true } = select;
  const { messages } = entry;
  return {
    conversationId,
    ...(userId === undefined ? {} : { userId }),
    messages: includeMessages
      ? messages.slice(last === undefined ? 0 : -last).map(({ stored }) => stored)
      : [],
    metadata,
    createdAt,
    lastActivity,
    totalMessages: messages.length,
    version,
  };
}
