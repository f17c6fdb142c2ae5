/** Lets the writes of this process for one user run one after another. */
export interface WriteTurns {
  /** Runs a write after the earlier ones with the same key have ended, or after 5 seconds. */
  readonly run: <T>(key: string, write: () => Promise<T>) => Promise<T>;
}

/** How long a write waits for the earlier ones, in milliseconds. */
// If the store doesn't answer, all waiting writes should fail at about the same time and not one after another. A write
// that doesn't wait any longer is still correct: it starts again if another write was faster.
const MOST_WAIT_MS = 5_000;

export function openWriteTurns(): WriteTurns {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: async (key, write) => {
      const earlier = last.get(key);
      const written = earlier === undefined ? write() : endOf(earlier).then(write);
      const ended = Promise.allSettled([earlier, written]);
      last.set(key, ended);
      try {
        return await written;
      } finally {
        if (last.get(key) === ended) last.delete(key);
      }
    },
  };
}

/** Resolves when the earlier writes have ended, or after `MOST_WAIT_MS`. */
function endOf(earlier: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MOST_WAIT_MS);
    void earlier.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
