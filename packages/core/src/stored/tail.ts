import type { ConversationMemory, Message } from "@jaf/memory";
import type { WindowTail } from "@jaf/memory/history";
import { isVersionedProvider, sanitizeConversation, windowTailOf } from "@jaf/memory/internal";
import { type MemoryConfig, windowOptionsIn } from "../memory-config.ts";
import { withoutTaken } from "./inbox-record.ts";
import { firstPositionOf, nextPositionOf } from "./metadata.ts";
import { isFinalReply, isHistory } from "./new-messages.ts";
import { COMPARED, readSummary } from "./summary-metadata.ts";

/** How to load only the end (tail) of a conversation. */
export interface Tail {
  readonly window: WindowTail;
  /** Whether the run uses summaries, so messages in the stored summary need not be loaded. */
  readonly summarized: boolean;
  /** How many of the last messages to load first. */
  readonly firstRead: number;
  /** The number of messages that were passed to the run, all of them user messages. */
  readonly newCount: number;
  /** The number of messages in the client's copy of the history. 0: there is no copy. */
  readonly copied: number;
}

type TailOptions = Omit<Tail, "newCount" | "copied">;

/** How many messages to load beyond those that the window needs, so that the tail can begin with a user message. */
const MARGIN = 10;
const LONGEST_FIRST_READ = 10_000;
/** By how much the number of loaded messages is multiplied if it wasn't enough. */
const MORE = 8;

/** The window options if no window is configured. */
// The model then sees all messages that the summary doesn't include.
const NO_WINDOW = { maxMessages: 1 };

/**
 * Returns how to load only the end of a conversation. Returns `undefined` if all messages must be loaded:
 *
 * - The memory has neither a window nor summaries.
 * - The window is a function without `maxMessages`.
 * - The memory provider can't load only the end.
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

/**
 * Returns how a run with these new messages loads only the end of a conversation; `undefined` if it needs all messages.
 */
export function tailOf(memory: MemoryConfig, newMessages: readonly Message[]): Tail | undefined {
  const options = isHistory(newMessages) ? undefined : tailOptions(memory);
  return options && tailFor(options, { newCount: newMessages.length, copied: 0, least: 0 });
}

/**
 * Returns how a run with a client's copy of the history loads only the end of a conversation; `undefined` if it needs
 * all messages.
 */
export function tailForCopy(memory: MemoryConfig, copy: readonly Message[]): Tail | undefined {
  const options = tailOptions(memory);
  if (options === undefined) return undefined;
  const copied = Array.isArray(copy) ? copy.length : 0;
  const compared = copied === 0 ? 0 : copied + MARGIN;
  return tailFor(options, { newCount: 0, copied, least: compared });
}

/** Completes the settings of a tail. `least`: the minimum number of messages to load first. */
const tailFor = (
  { window, summarized, firstRead }: TailOptions,
  { newCount, copied, least }: Pick<Tail, "newCount" | "copied"> & { readonly least: number },
): Tail => ({ window, summarized, firstRead: Math.max(firstRead, least), newCount, copied });

export type TailReading =
  | { readonly decides: true; readonly conversation: ConversationMemory }
  /** `readNext`: how many of the last messages to load next. Absent: all messages. */
  | { readonly decides: false; readonly readNext?: number };

/**
 * Returns the part of a conversation that a run uses if the loaded messages are enough; otherwise how many to load
 * next. Throws the errors of the window's tokenizer.
 */
export function tailIn(conversation: ConversationMemory, tail: Tail): TailReading {
  const { messages, metadata } = conversation;
  // A store that doesn't report `totalMessages` returns as many messages as requested.
  const total = metadata?.totalMessages ?? (messages.length < tail.firstRead ? messages.length : undefined);
  if (messages.length === total) return { decides: true, conversation };
  if (metadata?.nextPosition === undefined || metadata["systemContent"] === true) return { decides: false };
  const unsummarized = tail.summarized ? neededBySummary(conversation) : messages.length;
  if (unsummarized === undefined) return { decides: false };
  const end = tail.window.endOf(messages, Math.min(unsummarized, messages.length - tail.copied));
  if (!end.decides) return end;
  // If the end has only user messages, a client's copy of these messages would count as a copy of the whole conversation.
  if (tail.copied > 0 && !end.messages.some(({ role }) => role === "assistant")) return { decides: false };
  const before = messages[messages.length - end.messages.length - 1];
  const decisive = { ...conversation, messages: end.messages };
  return showsNewMessages(withoutTaken(decisive), { before, newCount: tail.newCount })
    ? { decides: true, conversation: decisive }
    : { decides: false, readNext: MORE * messages.length };
}

/**
 * Returns the index of the first message that is needed to check the summary; `undefined` if no valid summary is
 * stored.
 */
function neededBySummary(conversation: ConversationMemory): number | undefined {
  const first = firstPositionOf(conversation);
  const summary = readSummary(conversation, { messages: conversation.messages, first });
  return summary && summary.upTo + 1 - COMPARED - first;
}

/**
 * Returns whether the loaded end shows which of the run's messages are stored and which user messages have no reply.
 */
function showsNewMessages(
  decisive: readonly Message[],
  { before, newCount }: { readonly before: Message | undefined; readonly newCount: number },
): boolean {
  const end = decisive.findLastIndex(({ role }) => role === "user") + 1;
  if (newCount > 0 && decisive.slice(end).some(isFinalReply)) return true;
  if (newCount > end) return false;
  return (
    decisive.slice(0, end).some(({ role }) => role !== "user") ||
    // The sanitizer could move any other message when it gets the whole history.
    (before !== undefined && isFinalReply(before) && sanitizeConversation([before]).length > 0)
  );
}

/** The positions of the first loaded message (`first`) and of the first message that the store still has (`stored`). */
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

/** Returns whether all stored messages were loaded. */
export const isWhole = (conversation: ConversationMemory | null): boolean =>
  conversation === null || conversation.metadata?.totalMessages === conversation.messages.length;

/**
 * Returns whether runs load only the end of the conversation, so the histories that they return can lack older
 * messages.
 */
export const givesOutTails = (memory: MemoryConfig): boolean => tailOptions(memory) !== undefined;
