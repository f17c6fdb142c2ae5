import type { ConversationMemory, MemoryProvider, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/adapter";
import { createTermOf } from "../ranker/index.ts";
import {
  bytesOf,
  type IndexedConversation,
  indexConversation,
  revisionOf,
  type Segment,
  type YieldIfDue,
} from "./conversation-index.ts";

/** The index of a user's messages: a {@link Segment} for each conversation, the most recently active one first. */
export type UserIndex = Iterable<Segment>;

export interface UserIndexes {
  /** Brings a user's index up to date and returns the index. */
  readonly refreshed: (userId: string, yieldIfDue: YieldIfDue) => Promise<Result<UserIndex>>;
  readonly drop: (userId: string) => void;
}

/** Limits of the indexes in the memory of a process. */
export interface IndexSettings {
  readonly maxUsers: number;
  readonly maxMessagesPerUser: number;
  readonly maxBytesPerUser: number;
  readonly maxBytes: number;
  readonly idleMs: number;
}

interface CachedIndex {
  /** The indexed conversations by their ids. */
  readonly conversations: Map<string, IndexedConversation>;
  timer?: NodeJS.Timeout;
  /** The refresh that runs now. */
  refreshing?: Promise<Result<void>> | undefined;
  /** The refresh that begins when `refreshing` ends. */
  nextRefresh?: Promise<Result<void>> | undefined;
}

export function openUserIndexes(provider: MemoryProvider, settings: IndexSettings): UserIndexes {
  const users = new Map<string, CachedIndex>();

  function drop(userId: string): void {
    const index = users.get(userId);
    clearTimeout(index?.timer);
    users.delete(userId);
  }

  /** Returns the user's index, or a new empty one, and makes it the most recently used one. */
  function touch(userId: string): CachedIndex {
    const index: CachedIndex = users.get(userId) ?? { conversations: new Map() };
    drop(userId);
    index.timer = setTimeout(() => drop(userId), settings.idleMs).unref();
    users.set(userId, index);
    const [oldest] = users.keys();
    if (users.size > settings.maxUsers && oldest !== undefined) drop(oldest);
    return index;
  }

  /** Drops the least recently used indexes, until the others have at most `maxBytes` together or only one is left. */
  function evictOldest(): void {
    let bytes = [...users.values()].reduce((sum, index) => sum + bytesOfAll(index), 0);
    for (const [userId, index] of users) {
      if (bytes <= settings.maxBytes || users.size === 1) return;
      bytes -= bytesOfAll(index);
      drop(userId);
    }
  }

  return {
    drop,
    refreshed: async (userId, yieldIfDue) => {
      const index = touch(userId);
      const refreshed = await shareRefresh(index, () =>
        refresh({ provider, userId, yieldIfDue }, index.conversations, settings),
      );
      evictOldest();
      return refreshed.success
        ? createSuccess([...index.conversations.values()].map(({ segment }) => segment))
        : refreshed;
    },
  };
}

const bytesOfAll = ({ conversations }: CachedIndex): number =>
  [...conversations.values()].reduce((sum, { segment }) => sum + bytesOf(segment), 0);

/** Refreshes an index, at most one refresh at a time. Calls that wait for the next refresh share it. */
function shareRefresh(index: CachedIndex, refreshIndex: () => Promise<Result<void>>): Promise<Result<void>> {
  // A refresh can miss messages that were stored after it began. So a call during a refresh waits for a further one.
  if (index.refreshing === undefined) {
    index.refreshing = refreshIndex().finally(() => {
      index.refreshing = undefined;
    });
    return index.refreshing;
  }
  const again = () => {
    index.nextRefresh = undefined;
    return shareRefresh(index, refreshIndex);
  };
  index.nextRefresh ??= index.refreshing.then(again, again);
  return index.nextRefresh;
}

interface Scope {
  readonly provider: MemoryProvider;
  readonly userId: string;
  readonly yieldIfDue: YieldIfDue;
}

/** Brings a user's index up to date. */
async function refresh(
  scope: Scope,
  conversations: Map<string, IndexedConversation>,
  { maxMessagesPerUser, maxBytesPerUser }: IndexSettings,
): Promise<Result<void>> {
  // Reads the changed conversations, most recently active first. Conversations beyond `maxBytesPerUser` are removed.
  const found = await scope.provider.findConversations({ userId: scope.userId, includeMessages: false });
  if (!found.success) return found;
  const wanted = newest(found.data, maxMessagesPerUser);
  for (const id of conversations.keys()) if (!wanted.has(id)) conversations.delete(id);
  const termOf = createTermOf();
  let room = maxBytesPerUser;
  for (const [conversationId, head] of wanted) {
    const old = conversations.get(conversationId);
    conversations.delete(conversationId);
    if (room <= 0) continue;
    const isSame = old !== undefined && old.revision === revisionOf(head);
    const read = isSame
      ? createSuccess(old)
      : await indexConversation(scope, conversationId, { before: old?.segment, maxBytes: room, termOf });
    if (!read.success) return read;
    if (read.data === undefined) continue;
    room -= bytesOf(read.data.segment);
    conversations.set(conversationId, read.data);
  }
  return createSuccess(undefined);
}

/**
 * Returns the most recently active conversations with at most `maxMessages` messages together, but at least one
 * conversation.
 */
function newest(
  conversations: readonly ConversationMemory[],
  maxMessages: number,
): ReadonlyMap<string, ConversationMemory> {
  const kept = new Map<string, ConversationMemory>();
  let messages = 0;
  for (const conversation of conversations) {
    messages += conversation.metadata?.totalMessages ?? 0;
    if (messages > maxMessages && kept.size > 0) break;
    kept.set(conversation.conversationId, conversation);
  }
  return kept;
}
