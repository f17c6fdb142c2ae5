import type {
  ConversationMemory,
  ConversationMetadata,
  MessageSelection,
  VersionedMemoryProvider,
} from "@jaf/memory";
import {
  createFailure,
  createMemoryConflictError,
  createMemoryNotFoundError,
  createSuccess,
} from "@jaf/memory/adapter";

/** The messages that an edit replaces: all messages from `position` to the end. */
export interface EditedMessages {
  readonly conversationId: string;
  readonly turnId: string;
  /** Position of the first message to remove. */
  readonly position: number;
  readonly dropLast: number;
  /** The conversation's version before the edit. */
  readonly version: number;
}

/**
 * Returns the idempotency key of the write that stores an edit. A receipt for this key shows that the edit is stored.
 */
export const editKey = (turnId: string): string => `${turnId}:edit`;

/**
 * Creates the memory provider for one run that makes an edit. The run sees a conversation that ends before
 * `edit.position`. The run's first append removes the messages from there on.
 */
export function createEditProvider(
  provider: VersionedMemoryProvider,
  edit: EditedMessages,
): VersionedMemoryProvider {
  const { conversationId, turnId, dropLast, version } = edit;
  // With this view of the conversation, the engine checks an edit like a normal prompt, before messages are removed.
  let isMade = false;

  const appendMessages: VersionedMemoryProvider["appendMessages"] = async (
    id,
    messages,
    metadata,
    options,
  ) => {
    // A write of metadata only, e.g. of a lease, doesn't make the edit.
    if (isMade || id !== conversationId || messages.length === 0) {
      return provider.appendMessages(id, messages, metadata, options);
    }
    const made = await provider.appendMessages(id, messages, metadata, {
      ...options,
      ...{ dropLast, expectedVersion: version, idempotencyKey: editKey(turnId) },
    });
    // A failed write may have been stored. A repetition has the same key, so the edit is made once.
    if (made.success) isMade = true;
    return made;
  };

  const readConversation: VersionedMemoryProvider["readConversation"] = async (id, options = {}) => {
    if (isMade || id !== conversationId) return provider.readConversation(id, options);
    const messages = selectionBefore(edit.position, options.messages);
    const read = await provider.readConversation(id, { ...options, messages });
    if (!read.success) return read;
    const { conversation, firstPosition } = read.data;
    const operation = "readConversation";
    if (conversation === null) return createFailure(createMemoryNotFoundError(id));
    if (conversation.metadata?.version !== version) {
      return createFailure(createMemoryConflictError("version", { operation }));
    }
    return createSuccess({
      ...read.data,
      conversation: endedBefore(edit, conversation, firstPosition),
      firstPosition: Math.min(firstPosition, edit.position),
    });
  };

  return new Proxy(provider, {
    get: (target, key) => {
      if (key === "appendMessages") return appendMessages;
      if (key === "readConversation") return readConversation;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Limits a selection to the messages before `position`. A selection by message id stays unchanged. */
function selectionBefore(position: number, selection: MessageSelection = "all"): MessageSelection {
  if (selection === "none") return selection;
  if (selection === "all") return { before: position };
  // After the read, `endedBefore` removes the messages from `position` on.
  if ("messageId" in selection) return selection;
  const { before = position } = selection;
  return { ...selection, before: Math.min(before, position) };
}

function endedBefore(
  { position, dropLast }: EditedMessages,
  conversation: ConversationMemory,
  firstPosition: number,
): ConversationMemory {
  const { messages, metadata } = conversation;
  const kept = messages.slice(0, Math.max(0, position - firstPosition));
  if (metadata === undefined) return { ...conversation, messages: kept };
  const { historyDigest: _, totalMessages, ...rest } = metadata;
  const counts = {
    nextPosition: position,
    ...(totalMessages === undefined ? {} : { totalMessages: Math.max(0, totalMessages - dropLast) }),
  };
  return { ...conversation, messages: kept, metadata: { ...rest, ...counts } as ConversationMetadata };
}
