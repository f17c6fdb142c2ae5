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
  /** Position of the first message to drop. */
  readonly position: number;
  readonly dropLast: number;
  /** The conversation's version before the edit. */
  readonly version: number;
}

/** Returns the idempotency key of the write that stores an edit. If the store has a receipt for this key, the edit was stored. */
export const editKey = (turnId: string): string => `${turnId}:edit`;

/**
 * Creates the memory provider for the run of an edit. Use the provider for one run only. At first, the conversation
 * seems to end before the edited message. The run's first append of messages also drops the messages that the edit
 * replaces, in the same write. So the engine handles an edit like a normal prompt, and checks the prompt before
 * messages are dropped. If the conversation's version isn't `edit.version`, reads and the first append fail with a
 * conflict. Once the first append has succeeded, the provider passes all calls on unchanged.
 */
export function createEditProvider(
  provider: VersionedMemoryProvider,
  edit: EditedMessages,
): VersionedMemoryProvider {
  const { conversationId, turnId, dropLast, version } = edit;
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

/**
 * Limits a selection to the messages before `position`. A selection by message id stays unchanged: `endedBefore` later
 * removes the edited messages from the messages that were read.
 */
function selectionBefore(position: number, selection: MessageSelection = "all"): MessageSelection {
  if (selection === "none") return selection;
  if (selection === "all") return { before: position };
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
