import { createWritesInFlight, type WritesInFlight } from "./writes-in-flight.ts";

/**
 * The outcome of each item of a group, in its order; `undefined`: nothing was done, and the item has to be sent by
 * itself. `"refused"`: that holds for all of them.
 */
export type GroupAnswer<Outcome> = readonly (Outcome | undefined)[] | "refused";

export interface WriteQueueOptions<Item, Outcome> {
  /**
   * Items with one key are sent in the order in which they were added, each after the one before is done, or together with
   * it.
   */
  readonly keyOf: (item: Item) => string;
  /** The item as text, for a group; `undefined`: it has to be sent by itself. */
  readonly pack: (item: Item) => string | undefined;
  readonly sendOne: (item: Item) => Promise<Outcome>;
  /** Gets at most 64 items, and at most a million characters. */
  readonly sendGroup: (packed: readonly string[]) => Promise<GroupAnswer<Outcome>>;
  /** For how long an item that isn't done blocks others, those of its key included. Default 1,000. */
  readonly blockingMs?: number;
}

export interface WriteQueue<Item, Outcome> {
  /** Rejects with what `sendOne` or `sendGroup` threw. */
  readonly add: (item: Item) => Promise<Outcome>;
  /** Resolves as soon as nothing waits and nothing is in flight. */
  readonly drained: () => Promise<void>;
}

const BLOCKING_MS = 1_000;

interface SenderOptions<Item, Outcome>
  extends Pick<WriteQueueOptions<Item, Outcome>, "sendOne" | "sendGroup"> {
  readonly inFlight: WritesInFlight;
  /** Queues entries again of which nothing was done. */
  readonly putBack: (entries: readonly Entry<Item, Outcome>[]) => void;
}

/** Sends entries and resolves or rejects their promises; never rejects itself. */
function createSender<Item, Outcome>(options: SenderOptions<Item, Outcome>) {
  const { inFlight, putBack, sendOne, sendGroup } = options;

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
    sendAlone: ({ item, key, resolve, reject }: Entry<Item, Outcome>): Promise<void> =>
      inFlight.occupy({ kind: "singles", keys: [key] }, () => sendOne(item)).then(resolve, reject),

    sendTogether: async (group: readonly Entry<Item, Outcome>[]): Promise<void> => {
      const keys = new Set(group.map(({ key }) => key));
      const packed = group.flatMap((entry) => entry.packed ?? []);
      try {
        await inFlight.occupy({ kind: "groups", keys }, async () =>
          distribute(group, await sendGroup(packed)),
        );
      } catch (thrown) {
        for (const { reject } of group) reject(thrown);
      }
    },
  };
}

/**
 * Sends items at once while few are in flight, and otherwise together, as a database commits in groups: what is added
 * while others are being sent becomes the next group. Independent of what the items are.
 */
export function createWriteQueue<Item, Outcome>(
  options: WriteQueueOptions<Item, Outcome>,
): WriteQueue<Item, Outcome> {
  const { keyOf, pack, sendOne, sendGroup, blockingMs = BLOCKING_MS } = options;
  const pending = createPendingCount();
  const inFlight = createWritesInFlight(blockingMs, schedule);
  const { sendAlone, sendTogether } = createSender<Item, Outcome>({ inFlight, putBack, sendOne, sendGroup });
  let waiting: Entry<Item, Outcome>[] = [];
  let scheduled = false;

  // Not at once: answers that arrive together make room for the next items together.
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
      const { alone, group, rest } = divide(waiting, inFlight);
      waiting = rest;
      const [only] = group;
      // A single item is faster by itself, but may have to wait for a lock: so not too many of them.
      if (only !== undefined && group.length === 1 && inFlight.maySingle()) void sendAlone(only);
      else if (only !== undefined) void sendTogether(group);
      for (const entry of alone) void sendAlone(entry);
      more = only !== undefined;
    }
  }

  function enqueue(entry: Omit<Entry<Item, Outcome>, "packed">): void {
    if (waiting.length === 0 && !inFlight.isBusy(entry.key) && inFlight.mayStart()) {
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
        enqueue({ item, key: keyOf(item), resolve, reject });
      }).finally(pending.less),
    drained: pending.none,
  };
}

/** Counts what is not settled yet. */
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

const GROUP_ITEMS = 64;
/** In characters. */
const GROUP_LENGTH = 1_000_000;

interface Entry<Item, Outcome> {
  readonly item: Item;
  readonly key: string;
  /** `undefined`: it is sent by itself. */
  readonly packed: string | undefined;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * What can be sent now: some entries by themselves, and at most one group. Nothing is sent before an earlier entry with the
 * same key.
 */
function divide<Item, Outcome>(waiting: readonly Entry<Item, Outcome>[], inFlight: WritesInFlight) {
  const parts: Record<"alone" | "group" | "rest", Entry<Item, Outcome>[]> = {
    alone: [],
    group: [],
    rest: [],
  };
  const closed = new Set<string>();
  const grouped = new Set<string>();
  let length = 0;
  const fits = (packed: string) =>
    inFlight.mayGroup() && parts.group.length < GROUP_ITEMS && length + packed.length <= GROUP_LENGTH;
  for (const entry of waiting) {
    const { key, packed } = entry;
    const free = !inFlight.isBusy(key) && !closed.has(key);
    if (free && packed !== undefined && fits(packed)) {
      parts.group.push(entry);
      grouped.add(key);
      length += packed.length;
    } else {
      closed.add(key);
      parts[free && packed === undefined && !grouped.has(key) ? "alone" : "rest"].push(entry);
    }
  }
  return parts;
}

/** Only the first entry of each key has to be sent by itself: the others may follow together. */
function unpackFirst<Item, Outcome>(entries: readonly Entry<Item, Outcome>[]): Entry<Item, Outcome>[] {
  const keys = new Set<string>();
  return entries.map((entry) => {
    if (keys.has(entry.key)) return entry;
    keys.add(entry.key);
    return { ...entry, packed: undefined };
  });
}
