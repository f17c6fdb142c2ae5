import {
  isMemoryConflictError,
  type MemoryConflictReason,
  type MessageSelection,
  type RichMessage,
  type WriteOptions,
} from "@jaf/memory";
import { isMediaResolver, MemoryCallError, present, receiptOf, unwrap } from "@jaf/memory/internal";
import type { Place } from "./settings.ts";

/** A consistent read of a conversation. */
export interface Reading {
  readonly exists: boolean;
  /** The selected messages, with the bytes of media in place. */
  readonly messages: readonly RichMessage[];
  /** The number of changes; 0 if the conversation doesn't exist. */
  readonly version: number;
  readonly incarnation: string;
  /** Whether a write under the key `receiptFor` was already made. */
  readonly written: boolean;
}

/** A write to the end of a conversation. */
export interface Change extends Pick<WriteOptions, "expectedVersion" | "idempotencyKey" | "childOf"> {
  readonly messages: readonly RichMessage[];
  /** How many messages are dropped from the end first. Default 0. */
  readonly dropLast?: number;
  readonly expectedIncarnation: string;
}

/** Reads the conversation of `place`. A conversation of another user counts as missing. */
export async function readHistory(
  { provider, conversationId, userId }: Place,
  messages: MessageSelection,
  receiptFor?: string,
): Promise<Reading> {
  const options = present({ messages, receiptFor, userId, owner: userId });
  const found = await unwrap("readConversation", () => provider.readConversation(conversationId, options));
  const stored: readonly RichMessage[] = found.conversation?.messages ?? [];
  return {
    exists: found.conversation !== null,
    messages: isMediaResolver(provider)
      ? await unwrap("resolveMedia", () => provider.resolveMedia(conversationId, stored))
      : stored,
    version: found.conversation?.metadata?.version ?? 0,
    incarnation: found.incarnation,
    written: found.receipt !== undefined,
  };
}

/**
 * Changes the end of the conversation, which is created if it is missing. Returns the new conversation's incarnation if
 * this write created it. Throws a `MemoryCallError`.
 */
export async function changeHistory(
  { provider, conversationId, userId }: Place,
  { messages, ...conditions }: Change,
): Promise<string | undefined> {
  const options: WriteOptions = {
    ...conditions,
    idempotencyKey: conditions.idempotencyKey ?? crypto.randomUUID(),
    createIfMissing: userId === undefined ? "unowned" : true,
  };
  const result = await provider.appendMessages(
    conversationId,
    messages as Parameters<typeof provider.appendMessages>[1],
    present({ userId }),
    options,
  );
  if (!result.success) throw new MemoryCallError(result.error);
  return receiptOf(result)?.incarnation;
}

/** Whether the error says that the conversation changed since it was read, in one of these ways. */
export const isConflict = (error: unknown, ...reasons: readonly MemoryConflictReason[]): boolean =>
  error instanceof MemoryCallError &&
  isMemoryConflictError(error.memoryError) &&
  reasons.includes(error.memoryError.reason);
