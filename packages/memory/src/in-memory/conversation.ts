import {
  type ConversationWrite,
  IDEMPOTENCY_WINDOW,
  type StoredConversation,
  type WriteOutcome,
} from "../backend/backend.ts";
import { decodeMessage } from "../codec/decode.ts";
import type { JsonObject } from "../codec/json.ts";
import type { Message } from "../message.ts";
import { trimStart } from "./trim.ts";

/**
 * A conversation as this process holds it. Writes change it in place, in one synchronous step, so that an append
 * costs what its batch costs; readers get copies.
 */
export interface Entry {
  readonly conversationId: string;
  readonly createdAt: Date;
  readonly messages: Message[];
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

export const isExpired = ({ ttlSeconds, lastActivity }: Entry, now: Date): boolean =>
  ttlSeconds !== undefined && now.getTime() >= lastActivity.getTime() + ttlSeconds * 1_000;

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
    entry.traceIds.clear();
    entry.metadata = {};
  }
  for (const [index, { body }] of write.messages.entries()) entry.messages.push(decodeMessage(body, index));
  entry.messages.splice(
    0,
    trimStart(entry.messages, maxMessages, ({ role }) => role === "tool"),
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
    messages: includeMessages ? messages.slice(last === undefined ? 0 : -last) : [],
    metadata,
    createdAt,
    lastActivity,
    totalMessages: messages.length,
    version,
  };
}
