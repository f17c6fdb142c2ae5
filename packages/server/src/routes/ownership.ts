import type { ConversationMemory, MessageSelection } from "@jaf/memory";
import { HttpFailure, notFound, storeFailure, unwrap } from "../http/failure.ts";
import type { ServerParts } from "../server-parts.ts";

export interface OwnConversation {
  readonly conversation: ConversationMemory;
  /** Position of the first message that was loaded. */
  readonly firstPosition: number;
  readonly version: number;
}

/**
 * Loads a conversation of the user. Throws the same failure if the conversation doesn't exist, belongs to another user, or has an
 * invalid id. All three cases make the same call of the store, so their timing reveals nothing. Messages are loaded only after this
 * check.
 */
export async function ownConversation(
  { provider }: Pick<ServerParts, "provider">,
  { conversationId, userId }: { readonly conversationId: string; readonly userId: string },
  messages: MessageSelection = "none",
): Promise<OwnConversation> {
  const found = await provider.findConversations({ conversationId, userId, includeMessages: false });
  if (!found.success && found.error._tag === "MemoryValidationError") throw notFound();
  const [own] = unwrap(found);
  if (own === undefined) throw notFound();
  if (messages === "none") return toOwn(own, own.metadata?.nextPosition ?? 0);
  const read = await provider.readConversation(conversationId, { messages });
  if (!read.success) throw storeFailure(read.error);
  const { conversation, firstPosition, incarnation } = read.data;
  // Deleted between the two reads, and maybe created again by another user.
  if (conversation === null || incarnation !== own.metadata?.incarnation) throw notFound();
  return toOwn(conversation, firstPosition);
}

const toOwn = (conversation: ConversationMemory, firstPosition: number): OwnConversation => ({
  ...{ conversation, firstPosition, version: conversation.metadata?.version ?? 0 },
});

/** Throws an `HttpFailure` if the conversation's version isn't the version that the client saw. */
export function checkVersion({ version }: OwnConversation, seen: number): void {
  if (version === seen) return;
  throw new HttpFailure("changed", "The conversation has changed. Load it again.");
}

export const titleIn = ({ metadata }: ConversationMemory): string | null => {
  const title: unknown = metadata?.["title"];
  return typeof title === "string" ? title : null;
};
