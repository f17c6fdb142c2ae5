import type { Evidence } from "./evidence.ts";

/** A place in a conversation at which something matches, or next to one. */
export interface Spot {
  readonly conversation: Conversation;
  readonly position: number;
  /** The row of what is said there; -1 where no document of the place matches. */
  readonly row: number;
  readonly author: string | undefined;
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
  readonly counts: Float64Array;
}

/** Puts the documents in their places. */
export function layOut({ documents, counts: own, words }: Evidence): Spots {
  const conversations = new Map<string, Conversation>();
  const counts = own.slice();
  const width = 2 * words.length;
  const ofDocuments = documents.map(({ place, author }, row) => {
    if (place === undefined) return undefined;
    const { conversationId, position } = place;
    let conversation = conversations.get(conversationId);
    if (conversation === undefined) {
      conversation = { conversationId, members: [], at: [] };
      conversations.set(conversationId, conversation);
    }
    const there = conversation.at[position];
    if (there !== undefined) return join(there, { row, counts, width });
    const spot = { conversation, position, row, author };
    conversation.at[position] = spot;
    conversation.members.push(spot);
    return spot;
  });
  return { conversations: [...conversations.values()], ofDocuments, counts };
}

interface Row {
  readonly row: number;
  readonly counts: Float64Array;
  readonly width: number;
}

function join(spot: Spot, { row, counts, width }: Row): Spot {
  for (let slot = 0; slot < width; slot++) {
    const at = spot.row * width + slot;
    counts[at] = Math.max(counts[at] ?? 0, counts[row * width + slot] ?? 0);
  }
  return spot;
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
    const gap = { conversation, position, row: -1, author: undefined };
    conversation.at[position] = gap;
    gaps.push(gap);
  }
  return gaps;
}
