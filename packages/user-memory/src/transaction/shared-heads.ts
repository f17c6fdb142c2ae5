import type { UserHead, UserKey, UserMemoryBackend } from "../backend.ts";

type Read = UserMemoryBackend["read"];

/**
 * Reads the heads of users (a head is the record with a user's counters). At the start of a turn, `recall` and `mark`
 * are called at the same time, and each of them needs the user's head. With this object, one read serves both calls.
 */
export interface SharedHeads {
  /**
   * Runs a search and returns its result. The search must read facts with the function `read` that it gets. A call of
   * `head` that begins before the first `read` returns the head from that `read`.
   */
  readonly during: <T>(user: UserKey, search: (read: Read) => Promise<T>) => Promise<T>;
  /**
   * Returns the user's head. If a search of this user (see `during`) has begun but hasn't read yet, waits for the
   * search's first read and returns its head. Otherwise reads the head itself.
   */
  readonly head: (user: UserKey) => Promise<UserHead | null>;
}

export function openSharedHeads(backend: UserMemoryBackend): SharedHeads {
  /** By the hash of the user: the head that a search will read. Resolves with `undefined` if the search reads none. */
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
