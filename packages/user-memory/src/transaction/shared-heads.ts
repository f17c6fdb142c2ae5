import type { UserHead, UserKey, UserMemoryBackend } from "../backend.ts";

type Read = UserMemoryBackend["read"];

/** Reads the head records (`UserHead`) of users. Calls of `head` and a search share one read. */
// At the start of a turn, `recall` and `mark` are called at the same time.
export interface SharedHeads {
  /** Runs a search and returns its result. The search must read facts with the function `read` that it gets. */
  readonly during: <T>(user: UserKey, search: (read: Read) => Promise<T>) => Promise<T>;
  /**
   * Returns the user's head record. If a search in the user's facts has started but hasn't read yet, waits for its read
   * and returns the head record from there. Otherwise, reads the head record itself.
   */
  readonly head: (user: UserKey) => Promise<UserHead | null>;
}

export function openSharedHeads(backend: UserMemoryBackend): SharedHeads {
  /**
   * By the hash of the user: a promise for the head record that a search is about to read. `null`: the user has no head
   * record. `undefined`: the search ended without a read.
   */
  const upcoming = new Map<string, Promise<UserHead | null | undefined>>();

  return {
    during: async (user, search) => {
      let settle: (head?: UserHead | null) => void = () => {};
      const head = new Promise<UserHead | null | undefined>((resolve) => {
        settle = resolve;
      });
      upcoming.set(user.hash, head);
      const leave = (): void => {
        if (upcoming.get(user.hash) === head) upcoming.delete(user.hash);
      };
      try {
        return await search(async (...given) => {
          // Calls of `head` after this moment may need a newer head than this read returns.
          leave();
          const snapshot = await backend.read(...given);
          settle(snapshot.head);
          return snapshot;
        });
      } finally {
        leave();
        settle();
      }
    },
    head: async (user) => {
      const shared = await upcoming.get(user.hash);
      return shared === undefined ? (await backend.read(user, {})).head : shared;
    },
  };
}
