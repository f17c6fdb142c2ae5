// The maximum number of statements in flight. More of them would make the groups smaller. With fewer, a distant server
// would often have nothing to do.
const MOST_AT_ONCE = 8;
const GROUP_ITEMS = 64;
/** The maximum length of a group in characters. */
const GROUP_LENGTH = 1_000_000;

export interface GroupQueueOptions<Item, Outcome> {
  /** Returns an item's key. Items with the same key are sent one after the other, in the order of `add`. */
  readonly keyOf: (item: Item) => string;
  /** Converts an item into the text that is sent in a group. */
  readonly pack: (item: Item) => string;
  readonly sendOne: (item: Item) => Promise<Outcome>;
  /**
   * Sends a group of 2 to 64 packed items with different keys, and resolves to their outcomes in the same order. An
   * outcome of `undefined` means that nothing was done for the item.
   */
  // At most a million characters. An item with the outcome `undefined` is sent again, alone.
  readonly sendGroup: (packed: readonly string[]) => Promise<readonly (Outcome | undefined)[]>;
}

export interface GroupQueue<Item, Outcome> {
  /** Adds an item, and resolves to its outcome. Rejects with the error of `sendOne` or `sendGroup`. */
  readonly add: (item: Item) => Promise<Outcome>;
  /** Resolves when all items that were added before this call are done. */
  readonly drained: () => Promise<void>;
}

interface Entry<Item, Outcome> {
  readonly item: Item;
  readonly key: string;
  readonly packed: string;
  /** Whether the item must be sent alone. */
  readonly alone: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Divides the waiting entries into those to send now and those that keep waiting. `busy` has the keys of the items that
 * are being sent.
 */
function divide<Item, Outcome>(
  waiting: readonly Entry<Item, Outcome>[],
  busy: ReadonlySet<string>,
): readonly [group: Entry<Item, Outcome>[], rest: Entry<Item, Outcome>[]] {
  const passed = new Set(busy);
  const group: Entry<Item, Outcome>[] = [];
  const rest: Entry<Item, Outcome>[] = [];
  let room = GROUP_LENGTH;
  for (const entry of waiting) {
    const joins =
      group.length === 0 || (!entry.alone && group.length < GROUP_ITEMS && entry.packed.length <= room);
    const taken = joins && !passed.has(entry.key);
    (taken ? group : rest).push(entry);
    passed.add(entry.key);
    if (taken) room = entry.alone ? 0 : room - entry.packed.length;
  }
  return [group, rest];
}

/**
 * Creates a queue that sends an item immediately if fewer than {@link MOST_AT_ONCE} statements are in flight.
 * Otherwise, the item waits until a statement ends, and all waiting items are sent as a group.
 */
export function createGroupQueue<Item, Outcome>(
  options: GroupQueueOptions<Item, Outcome>,
): GroupQueue<Item, Outcome> {
  const { keyOf, pack, sendOne, sendGroup } = options;
  const busy = new Set<string>();
  const pending = new Set<Promise<Outcome>>();
  let waiting: Entry<Item, Outcome>[] = [];
  let inFlight = 0;

  async function send(group: readonly Entry<Item, Outcome>[]): Promise<void> {
    const [first] = group;
    if (first !== undefined && group.length === 1) return first.resolve(await sendOne(first.item));
    const outcomes = await sendGroup(group.map(({ packed }) => packed));
    const undone = group.filter((_, at) => outcomes[at] === undefined);
    waiting = [...undone.map((entry) => ({ ...entry, alone: true })), ...waiting];
    for (const [at, { resolve }] of group.entries()) {
      const outcome = outcomes[at];
      if (outcome !== undefined) resolve(outcome);
    }
  }

  async function occupy(group: readonly Entry<Item, Outcome>[]): Promise<void> {
    inFlight += 1;
    for (const { key } of group) busy.add(key);
    try {
      await send(group);
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    } finally {
      inFlight -= 1;
      for (const { key } of group) busy.delete(key);
      // Deferred, because answers that arrive together make room for the next items together.
      setImmediate(sendWaiting);
    }
  }

  function sendWaiting(): void {
    while (inFlight < MOST_AT_ONCE && waiting.length > 0) {
      const [group, rest] = divide(waiting, busy);
      if (group.length === 0) return;
      waiting = rest;
      void occupy(group);
    }
  }

  return {
    add: (item) => {
      const outcome = new Promise<Outcome>((resolve, reject) => {
        const packed = pack(item);
        waiting.push({
          item,
          key: keyOf(item),
          packed,
          alone: packed.length > GROUP_LENGTH,
          resolve,
          reject,
        });
      });
      pending.add(outcome);
      const settled = () => void pending.delete(outcome);
      outcome.then(settled, settled);
      sendWaiting();
      return outcome;
    },
    drained: async () => void (await Promise.allSettled(pending)),
  };
}
