import { ConversationStoreError, type VersionedMemoryProvider } from "@jaf/memory";
import { present } from "@jaf/memory/engine";

/** A conversation that a turn makes, once the engine has judged the request: a refused one leaves none behind. */
export interface NewConversation {
  readonly conversationId: string;
  readonly title: string | undefined;
  /** Of the write that makes it. */
  readonly key: string;
}

export async function makeConversation(
  provider: VersionedMemoryProvider,
  userId: string,
  { conversationId, title, key }: NewConversation,
): Promise<string> {
  const metadata = { userId, ...present({ title }) };
  const options = { createIfMissing: true, idempotencyKey: key };
  const made = await provider.appendMessages(conversationId, [], metadata, options);
  if (made.success) return conversationId;
  // As the client's own store does: the engine makes a refusal or an outcome of it.
  throw new ConversationStoreError(made.error);
}
