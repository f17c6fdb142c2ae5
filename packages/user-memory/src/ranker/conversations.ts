import type { MatchedDocument } from "./matches.ts";
import type { Evidence } from "./term-table.ts";

/** A place in a conversation at which something matches, or next to one. */
export interface Spot {
  readonly conversation: Conversation;
  readonly position: number;
  /** The row of what is said there; -1 where no document of the place matches. */
  readonly row: number;
  /** Of the documents that match there: the oldest that names its author or side. */
  voice: MatchedDocument | undefined;
  /** Of the documents that match there, together. */
  length: number;
}

export interface Conversation {
  readonly conversationId: string;
  /** Those at which something matches. */
  readonly members: Spot[];
  /** By position, with holes. */
  readonly at: (Spot | undefined)[];
}

/** Where the documents stand that match. */
export interface Spots {
  readonly conversations: readonly Conversation[];
  /** By document; `undefined` for one that has no place. */
  readonly ofDocuments: readonly (Spot | undefined)[];
  /** As in {@link Evidence}, but a row holds, by word, the most that a document of the place holds. */
  readonly counts: Uint16Array;
}

/** Puts the documents in their places. */
export function layOut({ documents, counts: own, lengths, words }: Evidence): Spots {
  const conversations = new Map<string, Conversation>();
  const counts = own.slice();
  const width = 2 * words.length;
  const ofDocuments = documents.map((document, row) => {
    if (document.place === undefined) return undefined;
    const { conversationId, position } = document.place;
    let conversation = conversations.get(conversationId);
    if (conversation === undefined) {
      conversation = { conversationId, members: [], at: [] };
      conversations.set(conversationId, conversation);
    }
    let spot = conversation.at[position];
    if (spot === undefined) {
      spot = { conversation, position, row, voice: undefined, length: 0 };
      conversation.at[position] = spot;
      conversation.members.push(spot);
    } else raise(counts, { from: row * width, to: spot.row * width, width });
    spot.length += lengths[row] ?? 0;
    const isVoice = document.author !== undefined || document.role !== undefined;
    if (isVoice && document.seq < (spot.voice?.seq ?? Number.POSITIVE_INFINITY)) {
      spot.voice = document;
    }
    return spot;
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

/** The places near a spot at which nothing matches, but for those that were given before. */
export function gapsAround({ conversation, position: from }: Spot, { back, ahead }: Reach): readonly Spot[] {
  const gaps: Spot[] = [];
  for (let position = Math.max(0, from - ahead); position <= from + back; position++) {
    if (conversation.at[position] !== undefined) continue;
    const gap: Spot = { conversation, position, row: -1, voice: undefined, length: 0 };
    conversation.at[position] = gap;
    gaps.push(gap);
  }
  return gaps;
}
