import { createKeys, hashTagOf, slotOf } from "../keys.ts";

/** Returns functions that build the keys of a turn log. */
export function createTurnKeys(prefix: string) {
  // The keys of a conversation's turns are in the Cluster slot of the conversation, and the lists of a user's turns in
  // that of the user id. Braces in a conversation id are escaped, so a conversation's key never equals one of these
  // keys.
  const keys = createKeys(prefix);
  const slotTag = (text: string): string => hashTagOf(slotOf(text));
  return {
    inOneSlot: keys.inOneSlot,
    /** Returns the key of the list of a conversation's turns, in the order in which they began. */
    turns: (conversationId: string): string => `${prefix}turns:{${keys.conversation(conversationId)}}`,
    /** Returns the start of the key of a turn's hash. The turn's id must be appended. */
    turn: (conversationId: string): string => `${prefix}turn:{${keys.conversation(conversationId)}}:`,
    /** Returns the start of the key of a turn's events. The turn's id must be appended. */
    events: (conversationId: string): string =>
      `${prefix}turn-events:{${keys.conversation(conversationId)}}:`,
    /** Returns the key of the list of a user's turns. The list is sorted by the time until which each entry is kept. */
    userTurns: (userId: string): string => `${prefix}user-turns:{${slotTag(userId)}}:${userId}`,
    /**
     * Returns the key of the list of a user's running and waiting turns, sorted by their start. Some of the listed
     * turns may have ended.
     */
    openTurns: (userId: string): string => `${prefix}open-turns:{${slotTag(userId)}}:${userId}`,
    /** The key of the list of all running turns, sorted by the end of their lease. A turn's actual end may be later. */
    // A renewal of the lease doesn't update the list.
    running: `${prefix}{turns}:running`,
  };
}

/** Returns the name of a turn in the indexes: `[conversation id, turn id]` as JSON. */
export const nameOf = ({ conversationId, turnId }: TurnName): string =>
  JSON.stringify([conversationId, turnId]);

export interface TurnName {
  readonly conversationId: string;
  readonly turnId: string;
}

export function parseName(name: string): TurnName {
  const [conversationId = "", turnId = ""]: string[] = JSON.parse(name);
  return { conversationId, turnId };
}
