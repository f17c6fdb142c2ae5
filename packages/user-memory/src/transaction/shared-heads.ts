import type { UserHead, UserKey, UserMemoryBackend } from "../backend.ts";

type Read = UserMemoryBackend["read"];

/** Reads heads of users. A turn recalls facts and marks the epoch at the same time, for which one read is enough. */
export interface SharedHeads {
  /** Runs a search that reads facts with `read`. The head of its first read is shared. */
  readonly during: <T>(user: UserKey, search: (read: Read) => Promise<T>) => Promise<T>;
  /** Reads the user's head, together with a search that has begun and hasn't read it yet. */
  readonly head: (user: UserKey) => Promise<UserHead | null>;
}

export function openSharedHeads(backend: UserMemoryBackend): SharedHeads {
  /** By user: the head that a search will read; `undefined` if it reads none. */
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
          // A head that is asked for from now on can be newer than this one.
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
