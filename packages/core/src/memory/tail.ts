import type { ConversationMemory, Message, WindowEnd } from "@jaf/memory";
import { isVersionedProvider, windowEndOf } from "@jaf/memory";
import { windowEndOptions } from "../context/window.ts";
import type { MemoryConfig } from "./config.ts";
import { firstPositionOf, nextPositionOf } from "./metadata.ts";

/**
 * How a run reads the end of a conversation in place of all of it; `undefined` where it needs all: without a window, with
 * one that depends on the whole history (`trimTo`, a function), with summaries, and where the provider can't read an end.
 */
export function tailOf({ provider, window, compressionThreshold }: MemoryConfig): WindowEnd | undefined {
  if (window === undefined || compressionThreshold !== undefined || !isVersionedProvider(provider)) {
    return undefined;
  }
  const options = windowEndOptions(window);
  return options && windowEndOf(options);
}

/**
 * Of a conversation of which only the last messages were read, what the run works with; itself where these are all;
 * `undefined` where more must be read. Throws what the window's tokenizer throws.
 */
export function tailIn(conversation: ConversationMemory, tail: WindowEnd): ConversationMemory | undefined {
  const { messages, metadata } = conversation;
  if (messages.length < tail.firstRead || messages.length === metadata?.totalMessages) return conversation;
  if (metadata?.nextPosition === undefined || metadata["systemContent"] === true) return undefined;
  const decisive = tail.decisive(messages);
  return decisive && { ...conversation, messages: decisive };
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
export const givesOutTails = (memory: MemoryConfig): boolean => tailOf(memory) !== undefined;

/** Whether all of these may be new to a conversation: a history has to be compared with the whole of it. */
export const isNews = (messages: readonly Message[]): boolean =>
  messages.every(({ role }) => role === "user");
