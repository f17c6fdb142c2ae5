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
  /** By position. */
  readonly spots: ReadonlyMap<number, Spot>;
}

/** Where the documents stand that match. */
export interface Spots {
  readonly conversations: readonly Conversation[];
  /** By document; `undefined` for one that has no place. */
  readonly ofDocuments: readonly (Spot | undefined)[];
  /** The places at which nothing matches, but something next to them. */
  readonly between: readonly Spot[];
  /** As in {@link Evidence}, but a row holds, by word, the most that a document of the place holds. */
  readonly counts: Float64Array;
}

/** How many messages away something still counts. */
interface Reach {
  readonly back: number;
  readonly ahead: number;
}

type Growing = Conversation & { readonly spots: Map<number, Spot> };

/** Puts the documents in their places. `reach` says which places next to them count as well. */
export function layOut(evidence: Evidence, reach: Reach): Spots {
  const conversations = new Map<string, Growing>();
  const counts = evidence.counts.slice();
  const ofDocuments = evidence.documents.map(({ place, author }, row) => {
    if (place === undefined) return undefined;
    const { conversationId, position } = place;
    const conversation = conversations.get(conversationId) ?? { conversationId, spots: new Map() };
    if (conversation.spots.size === 0) conversations.set(conversationId, conversation);
    const there = conversation.spots.get(position);
    if (there !== undefined) return join(there, { row, counts, width: 2 * evidence.words.length });
    const spot = { conversation, position, row, author };
    conversation.spots.set(position, spot);
    return spot;
  });
  const between = [...conversations.values()].flatMap((conversation) => fillGaps(conversation, reach));
  return { conversations: [...conversations.values()], ofDocuments, between, counts };
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

function fillGaps(conversation: Growing, { back, ahead }: Reach): readonly Spot[] {
  const filled: Spot[] = [];
  for (const { position: from } of [...conversation.spots.values()]) {
    for (let position = Math.max(0, from - ahead); position <= from + back; position++) {
      if (conversation.spots.has(position)) continue;
      const spot = { conversation, position, row: -1, author: undefined };
      conversation.spots.set(position, spot);
      filled.push(spot);
    }
  }
  return filled;
}
