import type { Head } from "./loaded.ts";

/** What a run has seen of a conversation's identity. */
export interface Identity {
  /**
   * Whether this is still what was seen before, as far as the store tells: the same conversation, the same absence, or
   * what has begun where nothing was. Else it was erased meanwhile.
   */
  readonly isSame: (head: Head) => boolean;
}

/** A run that waits must not say, in a conversation that begins after an erasure, what it was told before. */
export function openIdentity(): Identity {
  let seen: { readonly exists: boolean; readonly incarnation: string | undefined } | undefined;
  return {
    isSame: ({ conversation, incarnation }) => {
      const before = seen;
      seen = { exists: conversation !== null, incarnation };
      if (before?.incarnation === undefined || incarnation === undefined) return true;
      return before.incarnation === incarnation || (!before.exists && seen.exists);
    },
  };
}
