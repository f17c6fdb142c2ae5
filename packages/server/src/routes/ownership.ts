import type { ConversationMemory, MessageSelection } from "@jaf/memory";
import { HttpFailure, notFound, storeFailure, unwrap } from "../http/failure.ts";
import type { ServerParts } from "../server-parts.ts";

export interface OwnConversation {
  readonly conversation: ConversationMemory;
  /** The position of the first of its messages that were read. */
  readonly firstPosition: number;
  readonly version: number;
}

/**
 * A conversation of the user. Throws the same failure for one that doesn't exist, that is somebody else's, or that no store would have,
 * after the same call of the store, which takes as long for each: only then are messages read.
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
  // Deleted, and maybe made again by somebody, between the two.
  if (conversation === null || incarnation !== own.metadata?.incarnation) throw notFound();
  return toOwn(conversation, firstPosition);
}

const toOwn = (conversation: ConversationMemory, firstPosition: number): OwnConversation => ({
  ...{ conversation, firstPosition, version: conversation.metadata?.version ?? 0 },
});

/** Throws unless it is the version that the client saw. */
export function checkVersion({ version }: OwnConversation, seen: number): void {
  if (version === seen) return;
  throw new HttpFailure("changed", "The conversation has changed meanwhile. Read it again.");
}

export const titleIn = ({ metadata }: ConversationMemory): string | null => {
  const title: unknown = metadata?.["title"];
  return typeof title === "string" ? title : null;
};
