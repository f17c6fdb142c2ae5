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

/** What is kept of a user's conversations, the one last active first. */
export type UserIndex = Iterable<Segment>;

export interface UserIndexes {
  /** The user's index, as the store is now. Several that ask at the same time share one look at the store. */
  readonly refreshed: (userId: string, yieldIfDue: YieldIfDue) => Promise<Result<UserIndex>>;
  readonly drop: (userId: string) => void;
}

interface Settings {
  readonly maxUsers: number;
  readonly maxMessagesPerUser: number;
  readonly maxBytesPerUser: number;
  readonly maxBytes: number;
  readonly idleMs: number;
}

interface Kept {
  /** By conversation. */
  readonly conversations: Map<string, IndexedConversation>;
  timer?: NodeJS.Timeout;
  /** The look at the store that is under way, and the one that comes after it. */
  looking?: Promise<Result<void>> | undefined;
  next?: Promise<Result<void>> | undefined;
}

export function openUserIndexes(provider: MemoryProvider, settings: Settings): UserIndexes {
  const users = new Map<string, Kept>();

  function drop(userId: string): void {
    const kept = users.get(userId);
    clearTimeout(kept?.timer);
    users.delete(userId);
  }

  /** As the one that was used last. */
  function keep(userId: string): Kept {
    const kept: Kept = users.get(userId) ?? { conversations: new Map() };
    drop(userId);
    kept.timer = setTimeout(() => drop(userId), settings.idleMs).unref();
    users.set(userId, kept);
    const [oldest] = users.keys();
    if (users.size > settings.maxUsers && oldest !== undefined) drop(oldest);
    return kept;
  }

  /** Those that were searched longest ago make room; a search that is under way has what it needs. */
  function evictOldest(): void {
    let bytes = [...users.values()].reduce((sum, kept) => sum + bytesOfAll(kept), 0);
    for (const [userId, kept] of users) {
      if (bytes <= settings.maxBytes || users.size === 1) return;
      bytes -= bytesOfAll(kept);
      drop(userId);
    }
  }

  return {
    drop,
    refreshed: async (userId, yieldIfDue) => {
      const kept = keep(userId);
      const looked = await look(kept, () =>
        refresh({ provider, userId, yieldIfDue }, kept.conversations, settings),
      );
      evictOldest();
      return looked.success
        ? createSuccess([...kept.conversations.values()].map(({ segment }) => segment))
        : looked;
    },
  };
}

const bytesOfAll = ({ conversations }: Kept): number =>
  [...conversations.values()].reduce((sum, { segment }) => sum + bytesOf(segment), 0);

/** A look that began before the call may have missed what was said since: then the next one counts, for all who wait. */
function look(kept: Kept, refreshKept: () => Promise<Result<void>>): Promise<Result<void>> {
  if (kept.looking === undefined) {
    kept.looking = refreshKept().finally(() => {
      kept.looking = undefined;
    });
    return kept.looking;
  }
  const again = () => {
    kept.next = undefined;
    return look(kept, refreshKept);
  };
  kept.next ??= kept.looking.then(again, again);
  return kept.next;
}

interface Scope {
  readonly provider: MemoryProvider;
  readonly userId: string;
  readonly yieldIfDue: YieldIfDue;
}

/** Reads what has changed. The conversations last active have room first; those that have none aren't read. */
async function refresh(
  scope: Scope,
  conversations: Map<string, IndexedConversation>,
  { maxMessagesPerUser, maxBytesPerUser }: Settings,
): Promise<Result<void>> {
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

/** The conversations last active that hold no more than so many messages together; of one at least. */
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
