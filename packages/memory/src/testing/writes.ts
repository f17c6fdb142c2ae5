import type { Message } from "../message.ts";
import type { MemoryProvider, WriteMetadata, WriteOptions } from "../provider.ts";
import type { Result } from "../result.ts";

/** What a write is given behind the conversation's id. */
export type WriteArguments = readonly [
  messages: readonly Message[],
  metadata?: WriteMetadata,
  options?: WriteOptions,
];

/** Appends, and makes the conversation if there is none, be it that nobody owns it. */
export const append = (
  provider: MemoryProvider,
  conversationId: string,
  ...[messages, metadata, options]: WriteArguments
): Promise<Result<void>> =>
  provider.appendMessages(conversationId, messages, metadata, { ...options, createIfMissing: "unowned" });

/** Both writes, as they make a conversation where there is none. */
export const writes = {
  appendMessages: append,
  storeMessages: (provider: MemoryProvider, conversationId: string, ...given: WriteArguments) =>
    provider.storeMessages(conversationId, ...given),
} as const;

export const writeMethods = ["appendMessages", "storeMessages"] as const;
