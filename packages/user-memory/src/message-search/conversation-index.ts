import type { ConversationMemory, MemoryProvider, Message, Result } from "@jaf/memory";
import { createSuccess, isVersionedProvider, messageText, readFrom } from "@jaf/memory/adapter";
import type { TermOf } from "../ranker/index.ts";
import { blockOf, eachMessage, joined, MESSAGE_HEAD, type Segment, textHash } from "./segment.ts";
import type { YieldIfDue } from "./yield.ts";

/** Read at once: a conversation may have any number of messages. */
const WINDOW = 100;

export interface IndexedConversation {
  /** Which state of the conversation this is of. */
  readonly revision: string;
  readonly segment: Segment;
}

export interface IndexScope {
  readonly provider: MemoryProvider;
  readonly userId: string;
  readonly yieldIfDue: YieldIfDue;
}

/** What can be found of a message: nothing of what a tool returned. */
export const searchedText = (message: Message): string =>
  message.role === "tool" ? "" : messageText(message);

interface ConversationReading {
  readonly before: Segment | undefined;
  readonly maxBytes: number;
  readonly termOf: TermOf;
}

/**
 * Reads a conversation; what stands where it stood isn't read for its words again. At most so many bytes: of a longer one, the
 * end. `undefined`: it isn't the user's, or not any more.
 */
export async function indexConversation(
  scope: IndexScope,
  conversationId: string,
  { before, maxBytes, termOf }: ConversationReading,
): Promise<Result<IndexedConversation | undefined>> {
  const { provider, userId, yieldIfDue } = scope;
  const known = before === undefined ? new Map<number, Uint32Array>() : blocksOf(before);
  const most = Math.floor(maxBytes / Uint32Array.BYTES_PER_ELEMENT);
  const blocks: Uint32Array[] = [];
  let size = 0;
  let revision: string | undefined;
  let base = 0;
  let after: number | undefined;
  for (;;) {
    const read = await readFrom(provider, conversationId, windowAfter(provider, after));
    if (!read.success) return read;
    const { conversation, firstPosition } = read.data;
    // Deleted meanwhile; the id may be another user's by now.
    if (conversation?.userId !== userId) return createSuccess(undefined);
    // Of the first window: what has changed since is seen the next time.
    revision ??= revisionOf(conversation);
    if (after === undefined)
      base = before !== undefined && before.base <= firstPosition ? before.base : firstPosition;
    for (const [index, message] of conversation.messages.entries()) {
      const text = searchedText(message);
      if (text.trim() === "") continue;
      const hash = await textHash(text, yieldIfDue);
      const offset = firstPosition + index - base;
      const isAssistant = message.role === "assistant";
      const old = known.get(offset);
      const isSame = old?.[1] === hash && old[2] === (isAssistant ? 1 : 0);
      const block = isSame
        ? old
        : await blockOf({ text, hash, offset, isAssistant }, { most, yieldIfDue, termOf });
      size += block.length;
      blocks.push(block);
      while (size > most && blocks.length > 1) size -= blocks.shift()?.length ?? 0;
    }
    after = firstPosition + conversation.messages.length - 1;
    if (!isVersionedProvider(provider) || conversation.messages.length < WINDOW) break;
  }
  return createSuccess({ revision, segment: { conversationId, base, data: joined(blocks) } });
}

const windowAfter = (provider: MemoryProvider, after: number | undefined) =>
  isVersionedProvider(provider) ? { messages: { after: after ?? -1, limit: WINDOW } } : undefined;

function blocksOf(segment: Segment): Map<number, Uint32Array> {
  const blocks = new Map<number, Uint32Array>();
  eachMessage(segment, (start, end) => {
    const block = segment.data.subarray(start, end);
    if (block.length >= MESSAGE_HEAD) blocks.set(block[0] ?? 0, block);
  });
  return blocks;
}

/** Another one, or messages that have changed, have another revision. A provider that counts no versions has the time. */
export const revisionOf = ({ metadata }: ConversationMemory): string =>
  JSON.stringify([
    metadata?.incarnation,
    metadata?.createdAt.getTime(),
    metadata?.totalMessages,
    metadata?.version ?? metadata?.updatedAt.getTime(),
  ]);
