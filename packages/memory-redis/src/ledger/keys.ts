import { createKeys, hashTagOf, slotOf } from "../keys.ts";

/** How many parts the sums for reports consist of. A user's sums are in one part. */
// On a Cluster they are on different servers, so no single server has all sums and gets all writes.
const PARTS = 16;

/** Returns functions that build the keys of a ledger. */
export function createLedgerKeys(prefix: string) {
  // Braces in a conversation id are escaped, so a conversation's key never equals one of these keys.
  const inSlotOf = (text: string): string => `{${hashTagOf(slotOf(text))}}`;
  const part = (number: number): string => `${prefix}ledger-sums:{ledger-${number}}:`;
  return {
    inOneSlot: createKeys(prefix).inOneSlot,
    /** Returns the key of the totals of a user, a tenant or everyone (`id` is `""`). */
    totals: (of: string, id: string): string => `${prefix}ledger-total:${inSlotOf(id)}:${of}:${id}`,
    /** Returns the start of the keys of a part with the user's sums. The day must be appended. */
    sums: (user: string | null): string =>
      part(user === null ? Math.floor(Math.random() * PARTS) : slotOf(user) % PARTS),
    allSums: Array.from({ length: PARTS }, (_, number) => part(number)),
    /** Returns the key that marks a record as done. It is in the Cluster slot of `key`. */
    done: (key: string, recordId: string): string => `${prefix}ledger-done:${inSlotOf(key)}:${recordId}`,
  };
}
