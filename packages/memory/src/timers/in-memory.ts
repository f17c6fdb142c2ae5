import { createMemoryStorageError } from "../contract/errors.ts";
import { defineTimers } from "./define-timers.ts";
import { MOST_TIMERS, type SetTimer, type Timer, type TimerName, type Timers } from "./timers.ts";

const PROVIDER = "memory";

/** Options of `createInMemoryTimers`. */
export interface InMemoryTimersOptions {
  /** Returns the current time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

const keyOf = ({ conversationId, timerId }: TimerName): string => JSON.stringify([conversationId, timerId]);

// A caller may change a Date, but it must not change the stored one.
const copy = (timer: Timer): Timer => ({ ...timer, at: new Date(timer.at) });

/**
 * Creates timers in the memory of this process. They are meant for tests, for development, and for applications of one
 * process that may lose its timers in a restart.
 *
 * @example
 * ```ts
 * import { createInMemoryTimers } from "@jaf/memory";
 *
 * const timers = createInMemoryTimers();
 * const ids = { conversationId: "conv-123", timerId: "reminder", userId: "user-456" };
 * await timers.set({ ...ids, at: new Date(Date.now() + 3_600_000), content: '"Call the dentist."' });
 * ```
 */
export function createInMemoryTimers({ now = Date.now }: InMemoryTimersOptions = {}): Timers {
  const timers = new Map<string, Timer>();

  /** Returns the timers that `selects` selects; the one that is due first comes first. */
  const select = (selects: (timer: Timer) => boolean, limit: number): readonly Timer[] =>
    [...timers.values()]
      .filter(selects)
      .sort((one, other) => one.at.getTime() - other.at.getTime())
      .slice(0, limit)
      .map(copy);

  function set(timer: Timer): SetTimer {
    const key = keyOf(timer);
    let others = 0;
    for (const [otherKey, { userId }] of timers) if (userId === timer.userId && otherKey !== key) others += 1;
    if (others >= MOST_TIMERS) return "full";
    timers.set(key, copy(timer));
    return "set";
  }

  function erase(selects: (timer: Timer) => boolean): number {
    const erased = [...timers].filter(([, timer]) => selects(timer));
    for (const [key] of erased) timers.delete(key);
    return erased.length;
  }

  return defineTimers({
    name: PROVIDER,
    set: async (timer) => set(timer),
    due: async (limit) => {
      const time = now();
      return select(({ at }) => at.getTime() <= time, limit);
    },
    advance: async ({ from, to, ...name }) => {
      const key = keyOf(name);
      const timer = timers.get(key);
      if (timer?.at.getTime() !== from.getTime()) return false;
      if (to === null) timers.delete(key);
      else timers.set(key, { ...timer, at: new Date(to) });
      return true;
    },
    find: async ({ userId, conversationId, limit }) =>
      select(
        (timer) =>
          timer.userId === userId &&
          (conversationId === undefined || timer.conversationId === conversationId),
        limit,
      ),
    remove: async (name) => timers.delete(keyOf(name)),
    deleteConversation: async (conversationId) => erase((timer) => timer.conversationId === conversationId),
    deleteUser: async (userId) => erase((timer) => timer.userId === userId),
    close: async () => timers.clear(),
    toMemoryError: (operation, thrown) =>
      createMemoryStorageError(operation, "the store of timers failed.", {
        provider: PROVIDER,
        cause: thrown,
      }),
  });
}
