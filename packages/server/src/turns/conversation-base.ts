import type { MemoryErrorUnion, VersionedMemoryProvider } from "@jaf/memory";
import { createMemoryNotFoundError } from "@jaf/memory/adapter";
import type { ConversationBase } from "./stored-request.ts";
import { refusal, storeRefusal } from "./turn-errors.ts";
import type { TurnEdit, TurnRefusal } from "./turn-service.ts";

export type BaseReading =
  | { readonly base: ConversationBase }
  | { readonly refusal: TurnRefusal; readonly error: MemoryErrorUnion };

/** What the conversation is before a turn. */
export async function readBase(
  provider: VersionedMemoryProvider,
  conversationId: string,
  edit: TurnEdit | undefined,
): Promise<BaseReading> {
  const read = await provider.readConversation(conversationId, { messages: "none" });
  if (!read.success) return { refusal: storeRefusal(read.error), error: read.error };
  const { conversation, incarnation, firstPosition } = read.data;
  if (conversation === null) {
    return { refusal: refusal("not-found"), error: createMemoryNotFoundError(conversationId) };
  }
  const version = conversation.metadata?.version ?? 0;
  return { base: { position: edit?.position ?? firstPosition, version, incarnation } };
}
