import type { MatchedDocument } from "./matches.ts";
import type { TermTable } from "./term-table.ts";

/** A message of a conversation in which something matches, or next to one. */
export interface ConversationMessage {
  readonly conversation: Conversation;
  readonly position: number;
  /** The row of what is said there; -1 where no document of the message matches. */
  readonly row: number;
  /** Of the documents that match there: the oldest that names its author or side. */
  speaker: MatchedDocument | undefined;
  /** Of the documents that match there, together. */
  length: number;
}

export interface Conversation {
  readonly conversationId: string;
  /** Those at which something matches. */
  readonly members: ConversationMessage[];
  /** By position, with holes. */
  readonly at: (ConversationMessage | undefined)[];
}

/** Where the documents stand that match. */
export interface ConversationLayout {
  readonly conversations: readonly Conversation[];
  /** By document; `undefined` for one that has no location. */
  readonly ofDocuments: readonly (ConversationMessage | undefined)[];
  /** As in {@link TermTable}, but a row holds, by word, the most that a document of the message holds. */
  readonly counts: Uint16Array;
}

/** Groups the documents by message, and the messages by conversation. */
export function groupByConversation({
  documents,
  counts: own,
  lengths,
  words,
}: TermTable): ConversationLayout {
  const conversations = new Map<string, Conversation>();
  const counts = own.slice();
  const width = 2 * words.length;
  const ofDocuments = documents.map((document, row) => {
    if (document.location === undefined) return undefined;
    const { conversationId, position } = document.location;
    let conversation = conversations.get(conversationId);
    if (conversation === undefined) {
      conversation = { conversationId, members: [], at: [] };
      conversations.set(conversationId, conversation);
    }
    let message = conversation.at[position];
    if (message === undefined) {
      message = { conversation, position, row, speaker: undefined, length: 0 };
      conversation.at[position] = message;
      conversation.members.push(message);
    } else raise(counts, { from: row * width, to: message.row * width, width });
    message.length += lengths[row] ?? 0;
    const hasSpeaker = document.author !== undefined || document.role !== undefined;
    if (hasSpeaker && document.seq < (message.speaker?.seq ?? Number.POSITIVE_INFINITY)) {
      message.speaker = document;
    }
    return message;
  });
  return { conversations: [...conversations.values()], ofDocuments, counts };
}

interface Rows {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

function raise(counts: Uint16Array, { from, to, width }: Rows): void {
  for (let slot = 0; slot < width; slot++) {
    counts[to + slot] = Math.max(counts[to + slot] ?? 0, counts[from + slot] ?? 0);
  }
}

/** How many messages away something still counts. */
export interface Reach {
  readonly back: number;
  readonly ahead: number;
}

/** The messages near a message in which nothing matches, but for those that were returned before. */
export function unmatchedNear(
  { conversation, position: from }: ConversationMessage,
  { back, ahead }: Reach,
): readonly ConversationMessage[] {
  const unmatched: ConversationMessage[] = [];
  for (let position = Math.max(0, from - ahead); position <= from + back; position++) {
    if (conversation.at[position] !== undefined) continue;
    const neighbour: ConversationMessage = { conversation, position, row: -1, speaker: undefined, length: 0 };
    conversation.at[position] = neighbour;
    unmatched.push(neighbour);
  }
  return unmatched;
}
