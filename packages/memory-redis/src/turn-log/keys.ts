import { createKeys, hashTagOf, slotOf } from "../keys.ts";

/**
 * Returns functions that build the keys of a turn log. The keys of a conversation's turns are in the Cluster slot of
 * the conversation. The lists of a user's turns are in the Cluster slot of the user id. A conversation's key never
 * equals one of these keys, because braces in a conversation id are escaped.
 */
export function createTurnKeys(prefix: string) {
  const keys = createKeys(prefix);
  const slotTag = (text: string): string => hashTagOf(slotOf(text));
  const tagOf = (conversationId: string): string => keys.of(conversationId).conversation;
  return {
    inOneSlot: keys.inOneSlot,
    /** Returns the key of the list of a conversation's turns, in the order in which they began. */
    turns: (conversationId: string): string => `${prefix}turns:{${tagOf(conversationId)}}`,
    /** Returns the start of the key of a turn's hash. The caller must append the turn's id. */
    turn: (conversationId: string): string => `${prefix}turn:{${tagOf(conversationId)}}:`,
    /** Returns the start of the key of a turn's events. The caller must append the turn's id. */
    events: (conversationId: string): string => `${prefix}turn-events:{${tagOf(conversationId)}}:`,
    /**
     * Returns the key of the list of a user's turns. The list is sorted by the time until which each entry is kept,
     * which isn't before the turn expires.
     */
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
