import type { MessageSelection, RichMessage } from "@jaf/memory";
import { isMediaResolver, type Place, present, type Seen, unwrap } from "@jaf/memory/internal";
import { itemsOf } from "./items/to-items.ts";

/** A consistent read of a conversation. */
export interface Reading extends Seen {
  /** The selected messages, with the bytes of media in place. */
  readonly messages: readonly RichMessage[];
  /** The number of stored messages. */
  readonly count: number;
  /** The number of changes; 0 if the conversation doesn't exist. */
  readonly version: number;
  /** Whether a write under the key `receiptFor` was already made. */
  readonly written: boolean;
}

/** Reads of more messages read the whole conversation. */
const MAX_LIMIT = 100_000;

/** Reads the conversation of `place`. A conversation of another user counts as missing. */
export async function readHistory(
  { provider, conversationId, userId }: Place,
  messages: MessageSelection,
  receiptFor?: string,
): Promise<Reading> {
  const options = present({ messages, receiptFor, userId, owner: userId });
  const found = await unwrap("readConversation", () => provider.readConversation(conversationId, options));
  const stored: readonly RichMessage[] = found.conversation?.messages ?? [];
  const metadata = found.conversation?.metadata;
  return {
    exists: found.conversation !== null,
    messages: isMediaResolver(provider)
      ? await unwrap("resolveMedia", () => provider.resolveMedia(conversationId, stored))
      : stored,
    count: metadata?.totalMessages ?? 0,
    version: metadata?.version ?? 0,
    incarnation: found.incarnation,
    written: found.receipt !== undefined,
  };
}

/**
 * Reads so many messages from the end that they have at least `count` items, or all messages. It reads further where
 * messages have no items, or where the name of a result's function only stands in an earlier call.
 */
export async function readEnd(place: Place, count: number, receiptFor?: string): Promise<Reading> {
  for (let limit = count; ; limit *= 2) {
    const selection = limit === 0 ? "none" : limit <= MAX_LIMIT ? { limit } : "all";
    const reading = await readHistory(place, selection, receiptFor);
    if (reading.messages.length === reading.count) return reading;
    const items = itemsOf(reading.messages);
    const isNamed = items.slice(items.length - count).every((item) => !("name" in item) || item.name !== "");
    if (items.length >= count && isNamed) return reading;
  }
}
