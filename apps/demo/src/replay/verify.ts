import { isDeepStrictEqual } from "node:util";
import {
  type ConversationMemory,
  isMemoryStorageError,
  type MemoryErrorUnion,
  type MemoryProvider,
} from "@jaf/memory";
import { Failure } from "../exit.ts";
import { type Recording, readRecordings } from "./recording.ts";

export interface Verification {
  readonly conversations: number;
  readonly messages: number;
  /** The differences between store and recording: conversation and message number, never content. */
  readonly differences: readonly string[];
  /** `false` if it was stopped before the end. */
  readonly finished: boolean;
}

function compare(recording: Recording, stored: ConversationMemory | null): string[] {
  const { conversationId, messages } = recording;
  if (stored === null) return [`${conversationId}: not stored`];
  const differences =
    stored.userId === recording.userId ? [] : [`${conversationId}: stored for another user`];
  const total = stored.metadata?.totalMessages;
  if (total !== stored.messages.length) {
    differences.push(`${conversationId}: ${stored.messages.length} messages are stored, counted as ${total}`);
  }
  for (const [index, message] of messages.entries()) {
    const kept = stored.messages[index];
    if (kept === undefined) differences.push(`${conversationId}, message ${index + 1}: missing`);
    else if (!isDeepStrictEqual(kept, message))
      differences.push(`${conversationId}, message ${index + 1}: differs`);
  }
  for (let index = messages.length; index < stored.messages.length; index++) {
    differences.push(`${conversationId}, message ${index + 1}: stored, but not in the recording`);
  }
  return differences;
}

const UNREADABLE = /stored message (\d+) is not a message/;

/** `undefined` if the error is about the store, not about this conversation. */
function unreadable({ conversationId }: Recording, error: MemoryErrorUnion): string | undefined {
  // Only the text distinguishes an unreadable row from other storage errors.
  const index = isMemoryStorageError(error) ? UNREADABLE.exec(error.message)?.[1] : undefined;
  return index === undefined ? undefined : `${conversationId}, message ${Number(index) + 1}: can't be read`;
}

/**
 * Compares each message of a recording with the stored one. An aborted signal stops it before the next conversation. Throws a
 * {@link Failure} if the store fails.
 */
export async function verify(
  file: string,
  provider: MemoryProvider,
  signal?: AbortSignal,
): Promise<Verification> {
  let conversations = 0;
  let messages = 0;
  const differences: string[] = [];
  for await (const recording of readRecordings(file)) {
    if (signal?.aborted === true) return { conversations, messages, differences, finished: false };
    const stored = await provider.getConversation(recording.conversationId);
    const corrupt = stored.success ? undefined : unreadable(recording, stored.error);
    if (!stored.success && corrupt === undefined) throw new Failure(stored.error.message);
    conversations += 1;
    messages += recording.messages.length;
    for (const difference of stored.success ? compare(recording, stored.data) : [corrupt]) {
      if (difference !== undefined) differences.push(difference);
    }
  }
  return { conversations, messages, differences, finished: true };
}
