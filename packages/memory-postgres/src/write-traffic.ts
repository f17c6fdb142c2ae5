// So many are sent one by one before others wait to go together: a server does as many side by side just as well.
const MOST_SINGLES = 8;
// With more at once, each would be smaller; with fewer, a distant server would wait for the next one.
const MOST_GROUPS = 8;

interface Sent {
  readonly kind: "singles" | "groups";
  readonly lanes: Iterable<string>;
}

/** What is under way, as far as others have to heed it. */
export function createTraffic(patienceMs: number, onFree: () => void) {
  const underWay = { singles: 0, groups: 0 };
  const busyLanes = new Set<string>();

  return {
    isQuiet: () => underWay.groups === 0 && underWay.singles < MOST_SINGLES,
    maySingle: () => underWay.singles < MOST_SINGLES,
    mayGroup: () => underWay.groups < MOST_GROUPS,
    isBusy: (lane: string) => busyLanes.has(lane),
    occupy: async <T>({ kind, lanes }: Sent, send: () => Promise<T>): Promise<T> => {
      underWay[kind] += 1;
      for (const lane of lanes) busyLanes.add(lane);
      let held = true;
      const release = () => {
        if (!held) return;
        held = false;
        underWay[kind] -= 1;
        for (const lane of lanes) busyLanes.delete(lane);
        onFree();
      };
      const overdue = setTimeout(release, patienceMs).unref();
      try {
        return await send();
      } finally {
        clearTimeout(overdue);
        release();
      }
    },
  };
}

export type Traffic = ReturnType<typeof createTraffic>;
