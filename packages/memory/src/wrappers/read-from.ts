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

/**
 * A conversation that was read from any provider: a {@link ConversationReading} without a guaranteed `incarnation` and
 * `readAt`.
 */
export interface ProviderReading extends Omit<ConversationReading, "incarnation" | "readAt"> {
  /** The conversation's incarnation. `undefined`: the provider returned no incarnation. */
  readonly incarnation: string | undefined;
  /** The time of the read by the store's clock. Absent if the provider doesn't return it. */
  readonly readAt?: Date;
}

/**
 * Reads a conversation from any provider. Uses `readConversation` if the provider has this method, otherwise
 * `getConversation`. A result from `getConversation` has these limits:
 *
 * - `firstPosition` is computed from `nextPosition` in the metadata. If the metadata contain no valid `nextPosition`,
 *   the oldest stored message counts as position 0.
 * - A selection by `messageId` finds no message.
 * - `incarnation` is `undefined` if the conversation doesn't exist, or if its metadata contain no incarnation.
 * - The provider also reads the messages of a conversation that doesn't belong to `owner`. They aren't returned.
 * - `readAt` and `receipt` are absent. Therefore an absent receipt doesn't prove that the write failed.
 *
 * Returns the provider's errors, or a `MemoryValidationError` if the options are invalid.
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

/** Returns `nextPosition` from the metadata if its value is possible, otherwise the number of messages. */
function nextPositionOf({ messages, metadata }: ConversationMemory): number {
  // A provider of another project may return any value in this metadata field.
  const stated: unknown = metadata?.nextPosition;
  return typeof stated === "number" && Number.isSafeInteger(stated) && stated >= messages.length
    ? stated
    : messages.length;
}
