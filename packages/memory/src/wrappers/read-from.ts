import { encodeRead, selectedBounds } from "../codec/read.ts";
import {
  createFailure,
  createMemoryValidationError,
  createSuccess,
  type Result,
} from "../contract/errors.ts";
import type { ConversationMemory, MemoryProvider } from "../contract/provider.ts";
import {
  type ConversationReading,
  isVersionedProvider,
  type ReadOptions,
} from "../contract/versioned-provider.ts";

/** What any provider can return about a conversation. */
export interface ProviderReading extends Omit<ConversationReading, "incarnation" | "readAt"> {
  /**
   * `undefined` from a provider without incarnations. Then an erased conversation can't be distinguished from one that
   * never existed.
   */
  readonly incarnation: string | undefined;
  /** Absent if the provider doesn't return the time of its store. */
  readonly readAt?: Date;
}

/**
 * Reads a conversation from any provider: with `readConversation`, or, if the provider doesn't have it, with
 * `getConversation`. A reading from `getConversation` has limits:
 *
 * - `firstPosition` is relative to the oldest stored message, unless the metadata contain a valid `nextPosition`.
 * - `messageId` finds no message.
 * - `incarnation` is `undefined` if the conversation doesn't exist, or if its metadata contain none.
 * - Messages are also read if the conversation doesn't belong to `owner`, but not returned.
 * - `readAt` and `receipt` are missing, so a missing receipt doesn't prove that the write failed.
 *
 * Returns the provider's errors, and a `MemoryValidationError` for invalid options.
 */
export async function readFrom(
  provider: MemoryProvider,
  conversationId: string,
  options?: ReadOptions,
): Promise<Result<ProviderReading>> {
  if (isVersionedProvider(provider)) return provider.readConversation(conversationId, options);
  const request = encodeRead(conversationId, options);
  if (!request.ok) {
    return createFailure(createMemoryValidationError(request.issues, { operation: "readConversation" }));
  }
  const found = await provider.getConversation(conversationId);
  if (!found.success) return found;
  const conversation = found.data;
  const { owner } = request.value;
  if (conversation === null || (owner !== undefined && conversation.userId !== owner)) {
    return createSuccess({ conversation: null, incarnation: undefined, firstPosition: 0 });
  }
  const { messages } = conversation;
  const nextPosition = nextPositionOf(conversation);
  const totalMessages = messages.length;
  const positions = { totalMessages, nextPosition, positionOf: () => undefined };
  const [from, end] = selectedBounds(request.value.messages, positions);
  const incarnation: unknown = conversation.metadata?.incarnation;
  return createSuccess({
    conversation: Object.freeze({ ...conversation, messages: Object.freeze(messages.slice(from, end)) }),
    incarnation: typeof incarnation === "string" ? incarnation : undefined,
    firstPosition: from === end ? nextPosition : nextPosition - totalMessages + from,
  });
}

/** Providers of other projects may return any value here, or none. */
function nextPositionOf({ messages, metadata }: ConversationMemory): number {
  const stated: unknown = metadata?.nextPosition;
  return typeof stated === "number" && Number.isSafeInteger(stated) && stated >= messages.length
    ? stated
    : messages.length;
}
