import type { MemoryStats } from "@jaf/memory";
import {
  type ConversationQuery,
  type ReadOutcome,
  type ReadRequest,
  type StoredConversation,
  selectedBounds,
} from "@jaf/memory/adapter";
import type { Conversation } from "./conversation.ts";

const toStored = (held: Conversation, messages: Conversation["messages"]): StoredConversation => ({
  conversationId: held.conversationId,
  ...(held.userId === undefined ? {} : { userId: held.userId }),
  ...(held.childOf === undefined ? {} : { childOf: held.childOf.conversationId }),
  messages: messages.map(({ body }) => body),
  metadata: held.metadata,
  createdAt: new Date(held.createdAt),
  lastActivity: new Date(held.lastActivity),
  totalMessages: held.messages.length,
  version: held.version,
  metadataVersion: held.metadataVersion,
  nextPosition: held.nextPosition,
  incarnation: held.incarnation,
});

export function toRead(held: Conversation, { messages, receiptFor, forExport }: ReadRequest): ReadOutcome {
  const { nextPosition, ttlSeconds } = held;
  const totalMessages = held.messages.length;
  const positionOf = (messageId: string) => held.ownIds.get(messageId)?.position;
  const [from, end] = selectedBounds(messages, { totalMessages, nextPosition, positionOf });
  const known = receiptFor === undefined ? undefined : held.keys.get(receiptFor);
  return {
    conversation: toStored(held, held.messages.slice(from, end)),
    firstPosition: from === end ? nextPosition : nextPosition - totalMessages + from,
    ...(known === undefined ? {} : { receipt: { nextPosition: known.nextPosition } }),
    ...(forExport === true
      ? {
          forExport: {
            traceIds: [...held.traceIds],
            ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
            messageIds: held.messages.map(({ own }) => own?.id ?? null),
          },
        }
      : {}),
  };
}

/** Newest first, then by id for equal times, so a cursor has exactly one place to continue from. */
const isBehind = (held: Conversation, time: number, id: string): boolean =>
  held.lastActivity < time || (held.lastActivity === time && held.conversationId < id);

/** Without a parent and without an id, a query finds no children. */
const isOfFamily = ({ childOf }: Conversation, { conversationId, childrenOf }: ConversationQuery): boolean =>
  childrenOf === undefined
    ? childOf === undefined || conversationId !== undefined
    : childOf?.conversationId === childrenOf;

const matches = (held: Conversation, query: ConversationQuery): boolean =>
  isOfFamily(held, query) &&
  (query.conversationId === undefined || held.conversationId === query.conversationId) &&
  (query.userId === undefined || held.userId === query.userId) &&
  (query.traceId === undefined || held.traceIds.has(query.traceId)) &&
  (query.since === undefined || held.lastActivity >= query.since.getTime()) &&
  (query.until === undefined || held.lastActivity <= query.until.getTime()) &&
  (query.cursor === undefined ||
    isBehind(held, query.cursor.lastActivity.getTime(), query.cursor.conversationId));

export function select(
  live: readonly Conversation[],
  query: ConversationQuery,
): readonly StoredConversation[] {
  const found = live.filter((held) => matches(held, query));
  found.sort((a, b) => (isBehind(a, b.lastActivity, b.conversationId) ? 1 : -1));
  const end = query.limit === undefined ? undefined : query.offset + query.limit;
  return found
    .slice(query.offset, end)
    .map((held) => toStored(held, query.includeMessages ? held.messages : []));
}

export function count(live: readonly Conversation[], userId: string | undefined): MemoryStats {
  const counted = live.filter(
    (held) => held.childOf === undefined && (userId === undefined || held.userId === userId),
  );
  const times = counted.map(({ createdAt }) => createdAt).sort((a, b) => a - b);
  const [oldest] = times;
  const newest = times.at(-1);
  return {
    totalConversations: counted.length,
    totalMessages: counted.reduce((sum, { messages }) => sum + messages.length, 0),
    ...(oldest === undefined ? {} : { oldestConversation: new Date(oldest) }),
    ...(newest === undefined ? {} : { newestConversation: new Date(newest) }),
  };
}
