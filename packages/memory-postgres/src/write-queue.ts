/**
 * What came of each of a group, in its order; `undefined`: nothing was done, it has to be sent by itself. `"refused"`:
 * nothing was done, and each of them has to.
 */
export type GroupAnswer<Outcome> = readonly (Outcome | undefined)[] | "refused";

export interface WriteQueueOptions<Item, Outcome> {
  /** Items of one lane are sent in the order in which they came, each when the last one is done, or with it. */
  readonly laneOf: (item: Item) => string;
  /** The form in which it goes with others, whose length counts; `undefined`: it goes by itself. */
  readonly pack: (item: Item) => string | undefined;
  readonly sendOne: (item: Item) => Promise<Outcome>;
  /** Gets at most 64 items, and at most a million characters. */
  readonly sendGroup: (packed: readonly string[]) => Promise<GroupAnswer<Outcome>>;
  /** What takes longer holds up nothing any more, not even its lane. Default 1,000. */
  readonly patienceMs?: number;
}

export interface WriteQueue<Item, Outcome> {
  /** Rejects with what `sendOne` or `sendGroup` threw. */
  readonly add: (item: Item) => Promise<Outcome>;
  /** Resolves as soon as nothing waits and nothing is under way. */
  readonly drained: () => Promise<void>;
}

// So many are sent one by one before others wait to go together: a server does as many side by side just as well.
const MOST_SINGLES = 8;
// With more at once, each would be smaller; with fewer, a distant server would wait for the next one.
const MOST_GROUPS = 8;
const GROUP_ITEMS = 64;
const GROUP_LENGTH = 1_000_000;
const PATIENCE_MS = 1_000;

interface Entry<Item, Outcome> {
  readonly item: Item;
  readonly lane: string;
  /** Absent: it goes by itself. */
  readonly packed: string | undefined;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (thrown: unknown) => void;
}

interface Sent {
  readonly kind: "singles" | "groups";
  readonly lanes: Iterable<string>;
}

/** What is under way, as far as others have to heed it. */
function createTraffic(patienceMs: number, onFree: () => void) {
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

type Traffic = ReturnType<typeof createTraffic>;

/** What can go now: some by themselves, and at most one group. Nothing overtakes what came before it in its lane. */
function divide<Item, Outcome>(waiting: readonly Entry<Item, Outcome>[], traffic: Traffic) {
  const parts: Record<"alone" | "group" | "rest", Entry<Item, Outcome>[]> = {
    alone: [],
    group: [],
    rest: [],
  };
  const closed = new Set<string>();
  const grouped = new Set<string>();
  let length = 0;
  const fits = (packed: string) =>
    traffic.mayGroup() && parts.group.length < GROUP_ITEMS && length + packed.length <= GROUP_LENGTH;
  for (const entry of waiting) {
    const { lane, packed } = entry;
    const free = !traffic.isBusy(lane) && !closed.has(lane);
    if (free && packed !== undefined && fits(packed)) {
      parts.group.push(entry);
      grouped.add(lane);
      length += packed.length;
    } else {
      closed.add(lane);
      parts[free && packed === undefined && !grouped.has(lane) ? "alone" : "rest"].push(entry);
    }
  }
  return parts;
}

/** Of a lane, only the first has to go by itself: the others may go together behind it. */
function unpackFirst<Item, Outcome>(entries: readonly Entry<Item, Outcome>[]): Entry<Item, Outcome>[] {
  const lanes = new Set<string>();
  return entries.map((entry) => {
    if (lanes.has(entry.lane)) return entry;
    lanes.add(entry.lane);
    return { ...entry, packed: undefined };
  });
}

/** How many are not settled yet. */
function createTally() {
  let count = 0;
  let listeners: (() => void)[] = [];
  return {
    more: () => {
      count += 1;
    },
    less: () => {
      count -= 1;
      if (count > 0) return;
      for (const listener of listeners) listener();
      listeners = [];
    },
    none: () => new Promise<void>((resolve) => (count === 0 ? resolve() : listeners.push(resolve))),
  };
}

/**
 * Sends items at once while few are under way, and else together, as a database commits in groups: what comes while
 * others are being sent is the next group. Knows nothing of what the items are.
 */
export function createWriteQueue<Item, Outcome>(
  options: WriteQueueOptions<Item, Outcome>,
): WriteQueue<Item, Outcome> {
  const { laneOf, pack, sendOne, sendGroup, patienceMs = PATIENCE_MS } = options;
  const tally = createTally();
  const traffic = createTraffic(patienceMs, schedule);
  let waiting: Entry<Item, Outcome>[] = [];
  let scheduled = false;

  // Not at once: answers that arrive together bring the next ones together.
  function schedule(): void {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      sendWaiting();
    });
  }

  function putBack(entries: readonly Entry<Item, Outcome>[]): void {
    waiting = [...entries, ...waiting];
    schedule();
  }

  const sendAlone = ({ item, lane, resolve, reject }: Entry<Item, Outcome>): Promise<void> =>
    traffic.occupy({ kind: "singles", lanes: [lane] }, () => sendOne(item)).then(resolve, reject);

  function distribute(group: readonly Entry<Item, Outcome>[], answer: GroupAnswer<Outcome>): void {
    if (answer === "refused") {
      putBack(group.map((entry) => ({ ...entry, packed: undefined })));
      return;
    }
    putBack(unpackFirst(group.filter((_, at) => answer[at] === undefined)));
    for (const [at, { resolve }] of group.entries()) {
      const outcome = answer[at];
      if (outcome !== undefined) resolve(outcome);
    }
  }

  async function sendTogether(group: readonly Entry<Item, Outcome>[]): Promise<void> {
    const lanes = new Set(group.map(({ lane }) => lane));
    const packed = group.flatMap((entry) => entry.packed ?? []);
    try {
      await traffic.occupy({ kind: "groups", lanes }, async () => distribute(group, await sendGroup(packed)));
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
  }

  function sendWaiting(): void {
    let more = true;
    while (more) {
      const { alone, group, rest } = divide(waiting, traffic);
      waiting = rest;
      const [only] = group;
      // A single one is done more quickly in the usual way, but may have to wait for a lock: so not too many of them.
      if (only !== undefined && group.length === 1 && traffic.maySingle()) void sendAlone(only);
      else if (only !== undefined) void sendTogether(group);
      for (const entry of alone) void sendAlone(entry);
      more = only !== undefined;
    }
  }

  function enqueue(entry: Omit<Entry<Item, Outcome>, "packed">): void {
    if (waiting.length === 0 && !traffic.isBusy(entry.lane) && traffic.isQuiet()) {
      void sendAlone({ ...entry, packed: undefined });
      return;
    }
    const packed = pack(entry.item);
    const goesAlone = packed === undefined || packed.length > GROUP_LENGTH;
    waiting.push({ ...entry, packed: goesAlone ? undefined : packed });
    schedule();
  }

  return {
    add: (item) =>
      new Promise<Outcome>((resolve, reject) => {
        tally.more();
        enqueue({ item, lane: laneOf(item), resolve, reject });
      }).finally(tally.less),
    drained: tally.none,
  };
}
