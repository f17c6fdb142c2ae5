import type { ConversationMemory, Message, WindowTail } from "@jaf/memory";
import { isVersionedProvider, sanitizeConversation, windowTailOf } from "@jaf/memory";
import { slidingOptions } from "../context/window.ts";
import type { MemoryConfig } from "./config.ts";
import { firstPositionOf, nextPositionOf } from "./metadata.ts";
import { isFinalReply, isHistory } from "./unsaid.ts";

/** How a run reads the end of a conversation in place of all of it. */
export interface Tail {
  readonly window: WindowTail;
  /** How many messages are said, all of them the user's. */
  readonly news: number;
}

/**
 * `undefined` where a run needs all: without a window, with one that depends on the whole history (`trimTo`, a function),
 * with summaries, and where the provider can't read an end.
 */
function windowTail({ provider, window, compressionThreshold }: MemoryConfig): WindowTail | undefined {
  if (window === undefined || compressionThreshold !== undefined || !isVersionedProvider(provider)) {
    return undefined;
  }
  const options = slidingOptions(window);
  return options && windowTailOf(options);
}

/** For a run to which these messages are said; `undefined` where it needs all. */
export function tailOf(memory: MemoryConfig, said: readonly Message[]): Tail | undefined {
  const window = isHistory(said) ? undefined : windowTail(memory);
  return window && { window, news: said.length };
}

/**
 * Of a conversation of which only the last messages were read, what the run works with; itself where these are all;
 * `undefined` where more must be read. Throws what the window's tokenizer throws.
 */
export function tailIn(
  conversation: ConversationMemory,
  { window, news }: Tail,
): ConversationMemory | undefined {
  const { messages, metadata } = conversation;
  // One that doesn't count them gives as many as it is asked for.
  const total = metadata?.totalMessages ?? (messages.length < window.firstRead ? messages.length : undefined);
  if (messages.length === total) return conversation;
  if (metadata?.nextPosition === undefined || metadata["systemContent"] === true) return undefined;
  const decisive = window.decisive(messages);
  if (decisive === undefined) return undefined;
  const before = messages[messages.length - decisive.length - 1];
  return tellsWhatIsSaid(decisive, { before, news }) ? { ...conversation, messages: decisive } : undefined;
}

/** Whether the end shows which of the new messages the user had said before, and all that waits for the reply. */
function tellsWhatIsSaid(
  decisive: readonly Message[],
  { before, news }: { readonly before: Message | undefined; readonly news: number },
): boolean {
  const end = decisive.findLastIndex(({ role }) => role === "user") + 1;
  if (news > 0 && decisive.slice(end).some(isFinalReply)) return true;
  if (news > end) return false;
  return (
    decisive.slice(0, end).some(({ role }) => role !== "user") ||
    // Nothing else is sure to stay where it is in the whole history.
    (before !== undefined && isFinalReply(before) && sanitizeConversation([before]).length > 0)
  );
}

/** The positions of the first message that a run has, and of the first that the store has. */
export interface LoadedFrom {
  readonly first: number;
  readonly stored: number;
}

export function loadedFrom(conversation: ConversationMemory | null): LoadedFrom {
  const first = firstPositionOf(conversation);
  const total: unknown = conversation?.metadata?.totalMessages;
  if (conversation === null || typeof total !== "number") return { first, stored: first };
  return { first, stored: Math.min(first, Math.max(0, nextPositionOf(conversation) - total)) };
}

/** Whether runs give out histories that begin later than the stored one. */
export const givesOutTails = (memory: MemoryConfig): boolean => windowTail(memory) !== undefined;
