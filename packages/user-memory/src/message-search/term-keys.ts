import { hashOf } from "./conversation-index.ts";

/** Returns the key of a term in a {@link MessageIndex}: a signed 32-bit number. */
export type TermKeys = (term: string) => number;

/** Creates the keys of a user's terms. */
// The same word of two users has different keys, so one index on the keys of all users finds the passages of one.
export function createTermKeys(userId: string): TermKeys {
  const start = hashOf(userId);
  return (term) => hashOf(term, 0, term.length, start) | 0;
}
