import { createKeys, hashTagOf, slotOf } from "../keys.ts";

/** Returns functions that build the keys of inboxes. */
export function createInboxKeys(prefix: string) {
  // The keys of an inbox are in the Cluster slot of its conversation, and the list of a user's inboxes in that of the
  // user id. Braces in a conversation id are escaped, so a conversation's key never equals one of these keys.
  const keys = createKeys(prefix);
  return {
    inOneSlot: keys.inOneSlot,
    /** Returns the keys of an inbox: its Redis hash, its entries, and the keys of entries that it knows. */
    of: (conversationId: string): readonly [hash: string, entries: string, known: string] => {
      const tag = `{${keys.conversation(conversationId)}}`;
      return [`${prefix}inbox:${tag}`, `${prefix}inbox-entries:${tag}`, `${prefix}inbox-keys:${tag}`];
    },
    /** Returns the key of the list of a user's inboxes, also of those that are empty. */
    ofUser: (userId: string): string => `${prefix}user-inboxes:{${hashTagOf(slotOf(userId))}}:${userId}`,
    /** The key of the list of all inboxes that aren't empty. */
    waiting: `${prefix}{inboxes}:waiting`,
  };
}

export type InboxKeys = ReturnType<typeof createInboxKeys>;
