import {
  type ConversationMemory,
  createSuccess,
  type MemoryProvider,
  type Message,
  messageText,
  type Result,
} from "@jaf/memory";
import { type MemoryTermIndex, termsOf } from "../recall/index.ts";

/** What is kept of one conversation. */
export interface IndexedConversation {
  /** Takes in what is new, as the head tells that there is any. */
  readonly update: (head: ConversationMemory) => Promise<Result<void>>;
  readonly messageAt: (position: number) => Message | undefined;
  readonly clear: () => void;
}

interface Seen {
  readonly createdAt: number;
  readonly version: number;
  readonly total: number;
}

export interface IndexScope {
  readonly provider: MemoryProvider;
  readonly userId: string;
  readonly terms: MemoryTermIndex;
  /** Names a document among those of the user. */
  readonly nextSeq: () => number;
}

export function openConversationIndex(
  { provider, userId, terms, nextSeq }: IndexScope,
  conversationId: string,
): IndexedConversation {
  const messages = new Map<number, { readonly message: Message; readonly seq: number }>();
  let seen: Seen | undefined;

  function clear(): void {
    for (const { seq } of messages.values()) terms.remove(seq);
    messages.clear();
    seen = undefined;
  }

  /** `end`: the position behind the last of them. */
  function add(added: readonly Message[], end: number): void {
    for (const [index, message] of added.entries()) {
      const position = end - added.length + index;
      const text = message.role === "tool" ? "" : messageText(message);
      if (text.trim() === "") continue;
      const seq = nextSeq();
      messages.set(position, { message, seq });
      terms.add({ seq, place: { conversationId, position } }, termsOf(text));
    }
  }

  async function reload(): Promise<Result<void>> {
    const loaded = await provider.getConversation(conversationId);
    if (!loaded.success) return loaded;
    clear();
    // Deleted meanwhile; the id may be another user's by now.
    if (loaded.data?.userId !== userId) return createSuccess(undefined);
    seen = seenOf(loaded.data);
    add(loaded.data.messages, seen.version);
    return createSuccess(undefined);
  }

  return {
    clear,
    messageAt: (position) => messages.get(position)?.message,
    update: async (head) => {
      const now = seenOf(head);
      if (seen === undefined || !isContinued(seen, now)) return isSame(seen, now) ? done() : reload();
      const count = now.version - seen.version;
      if (count === 0) return done();
      const added = await provider.getRecentMessages(conversationId, count);
      if (!added.success) return added;
      // More may have been said since the head was read: then these aren't those.
      const checked = await provider.findConversations({ conversationId, includeMessages: false });
      if (!checked.success) return checked;
      const [after] = checked.data;
      const isThat = after?.userId === userId && isSame(seenOf(after), now);
      if (!isThat || added.data.length !== count) return reload();
      seen = now;
      add(added.data, now.version);
      return done();
    },
  };
}

const done = () => createSuccess(undefined);

function seenOf({ metadata, messages }: ConversationMemory): Seen {
  const total = metadata?.totalMessages ?? messages.length;
  const version: unknown = metadata?.["version"];
  return {
    createdAt: metadata?.createdAt.getTime() ?? 0,
    version: typeof version === "number" ? version : total,
    total,
  };
}

const isSame = (one: Seen | undefined, other: Seen): boolean =>
  one !== undefined &&
  one.createdAt === other.createdAt &&
  one.version === other.version &&
  one.total === other.total;

/** Whether messages were only appended: of what was trimmed or replaced, the counts don't agree. */
const isContinued = (before: Seen, now: Seen): boolean =>
  before.createdAt === now.createdAt &&
  now.version >= before.version &&
  now.version - before.version === now.total - before.total;
