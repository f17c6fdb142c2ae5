import type { Head } from "./loaded.ts";

/** What a run has seen of a conversation's identity. */
export interface Identity {
  /**
   * Whether this is still what was seen before, as far as the store tells: the same conversation, none as before, or a new one
   * where there was none. If not, it was erased meanwhile.
   */
  readonly isSame: (head: Head) => boolean;
}

/** What a waiting run was given before an erasure must not get into the conversation that begins after it. */
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
