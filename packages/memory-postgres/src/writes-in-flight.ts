// This many are sent one by one before others wait for a group: a server does as many in parallel just as well.
const MOST_SINGLES = 8;
// With more at once, each would be smaller; with fewer, a distant server would wait for the next one.
const MOST_GROUPS = 8;

interface Sent {
  readonly kind: "singles" | "groups";
  readonly keys: Iterable<string>;
}

/** What is in flight, as far as it blocks others. */
export function createWritesInFlight(blockingMs: number, onFree: () => void) {
  const counts = { singles: 0, groups: 0 };
  const busyKeys = new Set<string>();

  return {
    mayStart: () => counts.groups === 0 && counts.singles < MOST_SINGLES,
    maySingle: () => counts.singles < MOST_SINGLES,
    mayGroup: () => counts.groups < MOST_GROUPS,
    isBusy: (key: string) => busyKeys.has(key),
    occupy: async <T>({ kind, keys }: Sent, send: () => Promise<T>): Promise<T> => {
      counts[kind] += 1;
      for (const key of keys) busyKeys.add(key);
      let held = true;
      const release = () => {
        if (!held) return;
        held = false;
        counts[kind] -= 1;
        for (const key of keys) busyKeys.delete(key);
        onFree();
      };
      const overdue = setTimeout(release, blockingMs).unref();
      try {
        return await send();
      } finally {
        clearTimeout(overdue);
        release();
      }
    },
  };
}

export type WritesInFlight = ReturnType<typeof createWritesInFlight>;
