import type { ConversationMemory, ConversationMetadata, MessageSelection } from "@jaf/memory";
import { HttpFailure, notFound, unwrap } from "../http/failure.ts";
import { isInner } from "../jobs/conversation.ts";
import type { ServerParts } from "../server-parts.ts";

export interface OwnConversation {
  readonly conversation: ConversationMemory;
  /** Position of the first message that was loaded. */
  readonly firstPosition: number;
  readonly version: number;
}

/**
 * Loads a conversation of the user, by default without messages. Throws the failure `not-found` for a missing
 * conversation, for another user's conversation, for that of an agent that ran as a tool, and for an invalid id.
 */
export async function ownConversation(
  { provider }: Pick<ServerParts, "provider">,
  { conversationId, userId }: { readonly conversationId: string; readonly userId: string },
  messages: MessageSelection = "none",
): Promise<OwnConversation> {
  // The first two cases make the same calls of the store, so their duration reveals nothing.
  const read = await provider.readConversation(conversationId, { messages, owner: userId });
  if (!read.success && read.error._tag === "MemoryValidationError") throw notFound();
  const { conversation, firstPosition } = unwrap(read);
  // Checked again, because a provider of the application might not know the option `owner`.
  if (conversation?.userId !== userId || isInner(conversation)) throw notFound();
  return { conversation, firstPosition, version: conversation.metadata?.version ?? 0 };
}

/** Throws an `HttpFailure` if the conversation's version isn't `seen`, the version that the client saw. */
export function checkVersion({ version }: OwnConversation, seen: number): void {
  if (version === seen) return;
  throw new HttpFailure("changed", "The conversation has changed. Load it again.");
}

interface Titled {
  readonly metadata?: ConversationMetadata | undefined;
}

export const titleIn = ({ metadata }: Titled): string | null => {
  const title: unknown = metadata?.["title"];
  return typeof title === "string" ? title : null;
};
