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

/** What an edit replaces. */
export interface EditedMessages {
  readonly conversationId: string;
  readonly turnId: string;
  /** Of the first message that is dropped. */
  readonly position: number;
  readonly dropLast: number;
  /** What the conversation is that the edit is made to. */
  readonly version: number;
}

/** The idempotency key of the write that makes an edit: its receipt tells that the edit was made. */
export const editKey = (turnId: string): string => `${turnId}:edit`;

/**
 * The provider as the run of an edit sees it: the conversation ends before what is edited, and the first messages that are
 * appended take the place of that end, in one step. So an edit is a prompt like any other, judged before anything is
 * dropped. Reading a conversation that has changed is a conflict, and so is the first append to it. After that append
 * everything is as it is stored. For one run.
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
    // A write of the metadata alone, e.g. of a lease, comes before the edit is made.
    if (isMade || id !== conversationId || messages.length === 0) {
      return provider.appendMessages(id, messages, metadata, options);
    }
    const made = await provider.appendMessages(id, messages, metadata, {
      ...options,
      ...{ dropLast, expectedVersion: version, idempotencyKey: editKey(turnId) },
    });
    // One that fails may have been made: repeated under its key, it is made once.
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

/** A selection by id may hold what is edited, which is cut off what was read. */
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
