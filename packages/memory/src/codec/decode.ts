import type { StoredConversation, StoredMessage } from "../backend/backend.ts";
import type { Message } from "../message.ts";
import { present } from "../present.ts";
import type { ConversationMemory, ConversationMetadata } from "../provider.ts";
import { decodeJson, deepFreeze, fromJsonValue } from "./json.ts";
import { messageRoles } from "./message-shape.ts";

/** A stored message that can't be read back. Says where, and nothing of its content. */
export class CorruptMessage extends Error {
  override readonly name = "CorruptMessage";
  constructor(readonly index: number) {
    super(`stored message ${index} is not a message`);
  }
}

const ROLES: ReadonlySet<string> = new Set(messageRoles);

// Bodies were validated on their way in; this guards against rows that something else wrote.
function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null || !("role" in value) || !("content" in value))
    return false;
  return typeof value.role === "string" && ROLES.has(value.role);
}

/** Throws {@link CorruptMessage}. `index` says which one it was. */
export function decodeMessage(body: string, index: number): Message {
  let value: unknown;
  try {
    value = decodeJson(body);
  } catch {
    throw new CorruptMessage(index); // The parser's own message would quote the content.
  }
  if (!isMessage(value)) throw new CorruptMessage(index);
  return deepFreeze(value);
}

/** Throws {@link CorruptMessage}. */
export const decodeMessages = (stored: readonly StoredMessage[]): readonly Message[] =>
  Object.freeze(stored.map((body, index) => (typeof body === "string" ? decodeMessage(body, index) : body)));

/** Throws {@link CorruptMessage}. */
export function decodeConversation(stored: StoredConversation): ConversationMemory {
  // Field by field: the fields' names are not escaped, so that stores can search them.
  const fields = Object.entries(stored.metadata).map(([key, value]) => [key, fromJsonValue(value)]);
  // Into what was made: to add them behind a spread takes several times as long.
  const metadata: ConversationMetadata = Object.assign(Object.fromEntries(fields), {
    // Copies: freezing doesn't keep a reader from setting a Date that the store or another field shares.
    createdAt: new Date(stored.createdAt),
    updatedAt: new Date(stored.lastActivity),
    totalMessages: stored.totalMessages,
    lastActivity: new Date(stored.lastActivity),
    version: stored.version,
    metadataVersion: stored.metadataVersion,
    nextPosition: stored.nextPosition,
    incarnation: stored.incarnation,
    ...present({ historyDigest: stored.historyDigest }),
  });
  return Object.freeze({
    conversationId: stored.conversationId,
    ...present({ userId: stored.userId }),
    messages: decodeMessages(stored.messages),
    metadata: deepFreeze(metadata),
  });
}
