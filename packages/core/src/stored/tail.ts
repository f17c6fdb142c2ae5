import type { ConversationMemory, Message } from "@jaf/memory";
import type { WindowTail } from "@jaf/memory/history";
import { isVersionedProvider, sanitizeConversation, windowTailOf } from "@jaf/memory/internal";
import { type MemoryConfig, windowOptionsIn } from "../memory-config.ts";
import { firstPositionOf, nextPositionOf } from "./metadata.ts";
import { isFinalReply, isHistory } from "./new-messages.ts";
import { COMPARED, readSummary } from "./summary.ts";

/** How a run reads only the end of a conversation. */
export interface Tail {
  readonly window: WindowTail;
  /** Whether messages that went into a summary needn't be read. */
  readonly summarized: boolean;
  /** How many of the last messages to read first, which is mostly enough. */
  readonly firstRead: number;
  /** How many messages the run was given, all of them the user's. */
  readonly newCount: number;
  /** How many messages the client's copy has that is compared with the end. */
  readonly copied: number;
}

type TailOptions = Omit<Tail, "newCount" | "copied">;

/** How many messages more than needed are read, so that the end can begin with a user message. */
const MARGIN = 10;
const LONGEST_FIRST_READ = 10_000;
/** How many times as many messages are read next, if the end doesn't show which messages are new. */
const MORE = 8;

/** Without a window the model sees all that isn't in the summary. */
const NO_WINDOW = { maxMessages: 1 };

/**
 * `undefined` where a run needs all: with neither a window nor summaries, with a function that doesn't say how many it
 * needs, and where the provider can't read an end.
 */
function tailOptions({ provider, window, compressionThreshold }: MemoryConfig): TailOptions | undefined {
  const summarized = compressionThreshold !== undefined;
  if ((window === undefined && !summarized) || !isVersionedProvider(provider)) return undefined;
  const options = window === undefined ? NO_WINDOW : windowOptionsIn(window);
  if (options === undefined) return undefined;
  const tail = windowTailOf(options);
  const unsummarized = summarized ? Math.min(compressionThreshold + MARGIN, LONGEST_FIRST_READ) : 0;
  return { window: tail, summarized, firstRead: Math.max(tail.firstRead, unsummarized) };
}

/** For a run that is given these messages; `undefined` where it needs the whole conversation. */
export function tailOf(memory: MemoryConfig, newMessages: readonly Message[]): Tail | undefined {
  const options = isHistory(newMessages) ? undefined : tailOptions(memory);
  return options && tailFor(options, { newCount: newMessages.length, copied: 0, least: 0 });
}

/** For a run that continues from a client's copy of the conversation. */
export function tailForCopy(memory: MemoryConfig, copy: readonly Message[]): Tail | undefined {
  const options = tailOptions(memory);
  if (options === undefined) return undefined;
  const copied = Array.isArray(copy) ? copy.length : 0;
  const compared = copied === 0 ? 0 : copied + MARGIN;
  return tailFor(options, { newCount: 0, copied, least: compared });
}

/** `least`: how many must be read at first. */
const tailFor = (
  { window, summarized, firstRead }: TailOptions,
  { newCount, copied, least }: Pick<Tail, "newCount" | "copied"> & { readonly least: number },
): Tail => ({ window, summarized, firstRead: Math.max(firstRead, least), newCount, copied });

export type TailReading =
  | { readonly decides: true; readonly conversation: ConversationMemory }
  /** How many of the last messages to read next; absent: all. */
  | { readonly decides: false; readonly readNext?: number };

/**
 * The part of a conversation that a run works with, if the messages that were read are enough. Throws what the window's tokenizer
 * throws.
 */
export function tailIn(conversation: ConversationMemory, tail: Tail): TailReading {
  const { messages, metadata } = conversation;
  // One that doesn't count them gives as many as it is asked for.
  const total = metadata?.totalMessages ?? (messages.length < tail.firstRead ? messages.length : undefined);
  if (messages.length === total) return { decides: true, conversation };
  if (metadata?.nextPosition === undefined || metadata["systemContent"] === true) return { decides: false };
  const unsummarized = tail.summarized ? neededBySummary(conversation) : messages.length;
  if (unsummarized === undefined) return { decides: false };
  const end = tail.window.endOf(messages, Math.min(unsummarized, messages.length - tail.copied));
  if (!end.decides) return end;
  // A copy of user messages alone would be taken for all of a conversation whose end is them.
  if (tail.copied > 0 && !end.messages.some(({ role }) => role === "assistant")) return { decides: false };
  const before = messages[messages.length - end.messages.length - 1];
  return showsNewMessages(end.messages, { before, newCount: tail.newCount })
    ? { decides: true, conversation: { ...conversation, messages: end.messages } }
    : { decides: false, readNext: MORE * messages.length };
}

/** The index of the first message that tells whose summary it is; `undefined` without one. */
function neededBySummary(conversation: ConversationMemory): number | undefined {
  const first = firstPositionOf(conversation);
  const summary = readSummary(conversation, { messages: conversation.messages, first });
  return summary && summary.upTo + 1 - COMPARED - first;
}

/** Whether the end shows which of the given messages are stored already, and all messages that wait for the reply. */
function showsNewMessages(
  decisive: readonly Message[],
  { before, newCount }: { readonly before: Message | undefined; readonly newCount: number },
): boolean {
  const end = decisive.findLastIndex(({ role }) => role === "user") + 1;
  if (newCount > 0 && decisive.slice(end).some(isFinalReply)) return true;
  if (newCount > end) return false;
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

/** Whether all messages that the store has were loaded. */
export const isWhole = (conversation: ConversationMemory | null): boolean =>
  conversation === null || conversation.metadata?.totalMessages === conversation.messages.length;

/** Whether runs return histories that begin later than the stored one. */
export const givesOutTails = (memory: MemoryConfig): boolean => tailOptions(memory) !== undefined;
