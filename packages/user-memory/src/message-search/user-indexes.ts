import {
  type ConversationMemory,
  createSuccess,
  type MemoryProvider,
  type Message,
  type Result,
} from "@jaf/memory";
import { createMemoryTermIndex, type MemoryTermIndex, type Place } from "../recall/index.ts";
import { type IndexedConversation, type IndexScope, openConversationIndex } from "./conversation-index.ts";

/** What is kept of a user's conversations. */
export interface UserIndex {
  readonly terms: MemoryTermIndex;
  readonly messageAt: (place: Place) => Message | undefined;
}

export interface UserIndexes {
  /** The user's index, as the store is now. Several that ask at the same time share one look at the store. */
  readonly refreshed: (userId: string) => Promise<Result<UserIndex>>;
  readonly drop: (userId: string) => void;
}

interface Settings {
  readonly maxUsers: number;
  readonly maxMessagesPerUser: number;
  readonly idleMs: number;
}

interface Kept {
  readonly index: UserIndex;
  readonly refresh: () => Promise<Result<void>>;
  timer?: NodeJS.Timeout;
  /** The look at the store that is under way, and the one that comes after it. */
  looking?: Promise<Result<void>> | undefined;
  next?: Promise<Result<void>> | undefined;
}

export function openUserIndexes(
  provider: MemoryProvider,
  { maxUsers, maxMessagesPerUser, idleMs }: Settings,
): UserIndexes {
  const users = new Map<string, Kept>();

  function drop(userId: string): void {
    clearTimeout(users.get(userId)?.timer);
    users.delete(userId);
  }

  /** As the one that was used last. */
  function keep(userId: string): Kept {
    const kept = users.get(userId) ?? openUserIndex(provider, userId, maxMessagesPerUser);
    drop(userId);
    kept.timer = setTimeout(() => drop(userId), idleMs).unref();
    users.set(userId, kept);
    const [oldest] = users.keys();
    if (users.size > maxUsers && oldest !== undefined) drop(oldest);
    return kept;
  }

  return {
    drop,
    refreshed: async (userId) => {
      const kept = keep(userId);
      const looked = await look(kept);
      return looked.success ? createSuccess(kept.index) : looked;
    },
  };
}

/** A look that began before the call may have missed what was said since: then the next one counts, for all who wait. */
function look(kept: Kept): Promise<Result<void>> {
  if (kept.looking === undefined) {
    kept.looking = kept.refresh().finally(() => {
      kept.looking = undefined;
    });
    return kept.looking;
  }
  kept.next ??= kept.looking.then(
    () => {
      kept.next = undefined;
      return look(kept);
    },
    () => {
      kept.next = undefined;
      return look(kept);
    },
  );
  return kept.next;
}

function openUserIndex(provider: MemoryProvider, userId: string, maxMessages: number): Kept {
  const terms = createMemoryTermIndex();
  const conversations = new Map<string, IndexedConversation>();
  let lastSeq = 0;
  const scope: IndexScope = { provider, userId, terms, nextSeq: () => ++lastSeq };

  async function refresh(): Promise<Result<void>> {
    const found = await provider.findConversations({ userId, includeMessages: false });
    if (!found.success) return found;
    const wanted = newest(found.data, maxMessages);
    for (const [id, conversation] of conversations) {
      if (wanted.has(id)) continue;
      conversation.clear();
      conversations.delete(id);
    }
    for (const [id, head] of wanted) {
      const conversation = conversations.get(id) ?? openConversationIndex(scope, id);
      conversations.set(id, conversation);
      const updated = await conversation.update(head);
      if (!updated.success) return updated;
    }
    return createSuccess(undefined);
  }

  return {
    index: {
      terms,
      messageAt: ({ conversationId, position }) => conversations.get(conversationId)?.messageAt(position),
    },
    refresh,
  };
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
