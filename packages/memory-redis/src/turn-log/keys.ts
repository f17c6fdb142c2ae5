import { createKeys, hashTagOf, slotOf } from "../keys.ts";

/**
 * How the keys of a turn log are named: those of a conversation's turns in the slot of the conversation, those of a user in one of
 * their own. No conversation's key is one of these, since there braces are escaped.
 */
export function createTurnKeys(prefix: string) {
  const keys = createKeys(prefix);
  const slotTag = (text: string): string => hashTagOf(slotOf(text));
  const tagOf = (conversationId: string): string => keys.of(conversationId).conversation;
  return {
    inOneSlot: keys.inOneSlot,
    /** The turns of a conversation, by their order. */
    turns: (conversationId: string): string => `${prefix}turns:{${tagOf(conversationId)}}`,
    /** What the hash of a turn begins with; its id follows. */
    turn: (conversationId: string): string => `${prefix}turn:{${tagOf(conversationId)}}:`,
    /** What the key of a turn's events begins with; its id follows. */
    events: (conversationId: string): string => `${prefix}turn-events:{${tagOf(conversationId)}}:`,
    /** A user's turns, by when they will have expired. */
    userTurns: (userId: string): string => `${prefix}user-turns:{${slotTag(userId)}}:${userId}`,
    /** A user's turns that run or wait, by their beginnings; some may have ended. */
    openTurns: (userId: string): string => `${prefix}open-turns:{${slotTag(userId)}}:${userId}`,
    /** Running turns, by a time at which their lease was known to end. */
    running: `${prefix}{turns}:running`,
  };
}

/** A turn's name in the indexes. */
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
