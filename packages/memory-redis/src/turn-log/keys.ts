import { createKeys, hashTagOf, slotOf } from "../keys.ts";

/**
 * Names the keys of a turn log. A conversation's turns are in the slot of the conversation, a user's lists in a slot of
 * their own. A conversation's key never equals one of these, since its braces are escaped.
 */
export function createTurnKeys(prefix: string) {
  const keys = createKeys(prefix);
  const slotTag = (text: string): string => hashTagOf(slotOf(text));
  const tagOf = (conversationId: string): string => keys.of(conversationId).conversation;
  return {
    inOneSlot: keys.inOneSlot,
    /** The turns of a conversation, in their order. */
    turns: (conversationId: string): string => `${prefix}turns:{${tagOf(conversationId)}}`,
    /** The start of the key of a turn's hash; the turn's id follows. */
    turn: (conversationId: string): string => `${prefix}turn:{${tagOf(conversationId)}}:`,
    /** The start of the key of a turn's events; the turn's id follows. */
    events: (conversationId: string): string => `${prefix}turn-events:{${tagOf(conversationId)}}:`,
    /** A user's turns by the time when they will have expired. */
    userTurns: (userId: string): string => `${prefix}user-turns:{${slotTag(userId)}}:${userId}`,
    /** A user's running or waiting turns by their start; some may have ended. */
    openTurns: (userId: string): string => `${prefix}open-turns:{${slotTag(userId)}}:${userId}`,
    /** Running turns by a known end of their lease, which may be outdated. */
    running: `${prefix}{turns}:running`,
  };
}

/** Returns a turn's name in the indexes. */
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
