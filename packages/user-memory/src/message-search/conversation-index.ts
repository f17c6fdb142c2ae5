import {
  type ConversationMemory,
  createSuccess,
  type MemoryProvider,
  type Message,
  messageText,
  type Result,
  readFrom,
} from "@jaf/memory";
import { type MemoryTermIndex, termsOf } from "../recall/index.ts";

/** What is kept of one conversation. */
export interface IndexedConversation {
  /** Reads it again if the head tells that its messages have changed. */
  readonly update: (head: ConversationMemory) => Promise<Result<void>>;
  readonly messageAt: (position: number) => Message | undefined;
  readonly clear: () => void;
}

export interface IndexScope {
  readonly provider: MemoryProvider;
  readonly userId: string;
  readonly terms: MemoryTermIndex;
  /** Names a document among those of the user. */
  readonly nextSeq: () => number;
}

interface Indexed {
  readonly message: Message;
  readonly text: string;
  readonly seq: number;
}

export function openConversationIndex(
  { provider, userId, terms, nextSeq }: IndexScope,
  conversationId: string,
): IndexedConversation {
  const indexed = new Map<number, Indexed>();
  let seen: readonly unknown[] | undefined;

  function remove(position: number): void {
    const old = indexed.get(position);
    if (old === undefined) return;
    terms.remove(old.seq);
    indexed.delete(position);
  }

  function clear(): void {
    for (const position of indexed.keys()) remove(position);
    seen = undefined;
  }

  /** A text that stands where it stood stays in the index as it is. */
  function put(position: number, message: Message): void {
    const text = message.role === "tool" ? "" : messageText(message);
    const old = indexed.get(position);
    if (old !== undefined && old.text === text) {
      indexed.set(position, { ...old, message });
      return;
    }
    remove(position);
    if (text.trim() === "") return;
    const seq = nextSeq();
    indexed.set(position, { message, text, seq });
    terms.add({ seq, place: { conversationId, position } }, termsOf(text));
  }

  return {
    clear,
    messageAt: (position) => indexed.get(position)?.message,
    update: async (head) => {
      if (seen !== undefined && isSame(seen, stampOf(head))) return createSuccess(undefined);
      // The whole, since a write may have dropped any number of messages and added as many again: no count tells.
      const read = await readFrom(provider, conversationId);
      if (!read.success) return read;
      const { conversation, firstPosition: first } = read.data;
      // Deleted meanwhile; the id may be another user's by now.
      if (conversation?.userId !== userId) {
        clear();
        return createSuccess(undefined);
      }
      const { messages } = conversation;
      for (const position of indexed.keys()) {
        if (position < first || position >= first + messages.length) remove(position);
      }
      for (const [index, message] of messages.entries()) put(first + index, message);
      seen = stampOf(conversation);
      return createSuccess(undefined);
    },
  };
}

/** Another one, or messages that have changed, have another stamp. A provider that counts no versions has the time. */
const stampOf = ({ metadata }: ConversationMemory): readonly unknown[] => [
  metadata?.incarnation,
  metadata?.createdAt.getTime(),
  metadata?.totalMessages,
  metadata?.version ?? metadata?.updatedAt.getTime(),
];

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.every((value, index) => value === other[index]);
