import { createKeys, hashTagOf, slotOf } from "../keys.ts";

/**
 * Returns functions that build the keys of a turn log. The keys of a conversation's turns are in the Cluster slot of
 * the conversation. The lists of a user are in a slot of their own. A conversation's key never equals one of these
 * keys, because braces in a conversation id are escaped.
 */
export function createTurnKeys(prefix: string) {
  const keys = createKeys(prefix);
  const slotTag = (text: string): string => hashTagOf(slotOf(text));
  return {
    inOneSlot: keys.inOneSlot,
    /** Returns the key of the list of a conversation's turns, in the order in which they began. */
    turns: (conversationId: string): string => `${prefix}turns:{${keys.conversation(conversationId)}}`,
    /** Returns the start of the key of a turn's hash. The caller must append the turn's id. */
    turn: (conversationId: string): string => `${prefix}turn:{${keys.conversation(conversationId)}}:`,
    /** Returns the start of the key of a turn's events. The caller must append the turn's id. */
    events: (conversationId: string): string =>
      `${prefix}turn-events:{${keys.conversation(conversationId)}}:`,
    /** Returns the key of the list of a user's turns, sorted by a time at which the turn will have expired. */
    userTurns: (userId: string): string => `${prefix}user-turns:{${slotTag(userId)}}:${userId}`,
    /**
     * Returns the key of the list of a user's running or waiting turns, sorted by the time when each turn began. Some
     * of the listed turns may have ended.
     */
    openTurns: (userId: string): string => `${prefix}open-turns:{${slotTag(userId)}}:${userId}`,
    /**
     * The key of the list of all running turns, sorted by the end of their lease. A listed end may be earlier than the
     * actual end, because a renewal of the lease doesn't update the list.
     */
    running: `${prefix}{turns}:running`,
  };
}

/** Returns the name of a turn in the indexes: a JSON text of its conversation id and its turn id. */
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
