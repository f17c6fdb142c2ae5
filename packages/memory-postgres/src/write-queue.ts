import { divide, type Entry, GROUP_LENGTH, unpackFirst } from "./write-entries.ts";
import { createTraffic, type Traffic } from "./write-traffic.ts";

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

const PATIENCE_MS = 1_000;

interface SenderOptions<Item, Outcome>
  extends Pick<WriteQueueOptions<Item, Outcome>, "sendOne" | "sendGroup"> {
  readonly traffic: Traffic;
  /** For those of which nothing was done. */
  readonly putBack: (entries: readonly Entry<Item, Outcome>[]) => void;
}

/** Sends entries and settles them; never rejects. */
function createSender<Item, Outcome>(options: SenderOptions<Item, Outcome>) {
  const { traffic, putBack, sendOne, sendGroup } = options;

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

  return {
    sendAlone: ({ item, lane, resolve, reject }: Entry<Item, Outcome>): Promise<void> =>
      traffic.occupy({ kind: "singles", lanes: [lane] }, () => sendOne(item)).then(resolve, reject),

    sendTogether: async (group: readonly Entry<Item, Outcome>[]): Promise<void> => {
      const lanes = new Set(group.map(({ lane }) => lane));
      const packed = group.flatMap((entry) => entry.packed ?? []);
      try {
        await traffic.occupy({ kind: "groups", lanes }, async () =>
          distribute(group, await sendGroup(packed)),
        );
      } catch (thrown) {
        for (const { reject } of group) reject(thrown);
      }
    },
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
  const pending = createPendingCount();
  const traffic = createTraffic(patienceMs, schedule);
  const { sendAlone, sendTogether } = createSender<Item, Outcome>({ traffic, putBack, sendOne, sendGroup });
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
        pending.more();
        enqueue({ item, lane: laneOf(item), resolve, reject });
      }).finally(pending.less),
    drained: pending.none,
  };
}

/** How many are not settled yet. */
function createPendingCount() {
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
