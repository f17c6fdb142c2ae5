/** So many turns wait in a process for one memory, and so many of one user; what is more is left to the queue. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_USER = 100;

interface Lanes {
  active: number;
  waiting: number;
  /** Of each user who waits, in the order in which it is their turn. */
  readonly users: Map<string, (() => void)[]>;
}

export interface LaneEntry {
  /** So many do their work at a time. */
  readonly concurrency: number;
  /** Users who wait take turns, however much one of them asks for. */
  readonly userId: string;
  /** `false`: it waits, however many others do. */
  readonly canBeRefused: boolean;
}

const lanesOf = new WeakMap<object, Lanes>();

const lanesFor = (key: object): Lanes => {
  const lanes = lanesOf.get(key) ?? { active: 0, waiting: 0, users: new Map() };
  lanesOf.set(key, lanes);
  return lanes;
};

/** Does work with at most so many others at a time for the same key. `undefined`, and nothing is done: too many wait. */
export function inLane<T>(key: object, entry: LaneEntry, work: () => Promise<T>): Promise<T> | undefined {
  const lanes = lanesFor(key);
  const { concurrency, userId, canBeRefused } = entry;
  const ofUser = lanes.users.get(userId)?.length ?? 0;
  const isFull = lanes.waiting >= MAX_WAITING || ofUser >= MAX_WAITING_OF_USER;
  if (canBeRefused && lanes.active >= concurrency && isFull) return undefined;
  return enter(lanes, entry, work);
}

/** Whether so many wait that no work of others is to be taken over. */
export const isCrowded = (key: object): boolean => lanesFor(key).waiting >= MAX_WAITING;

async function enter<T>(
  lanes: Lanes,
  { concurrency, userId }: LaneEntry,
  work: () => Promise<T>,
): Promise<T> {
  if (lanes.active >= concurrency) await new Promise<void>((resolve) => wait(lanes, userId, resolve));
  else lanes.active += 1;
  try {
    return await work();
  } finally {
    const next = nextOf(lanes);
    // The next one takes over the lane itself.
    if (next === undefined) lanes.active -= 1;
    else next();
  }
}

function wait(lanes: Lanes, userId: string, begin: () => void): void {
  const ofUser = lanes.users.get(userId);
  if (ofUser === undefined) lanes.users.set(userId, [begin]);
  else ofUser.push(begin);
  lanes.waiting += 1;
}

function nextOf(lanes: Lanes): (() => void) | undefined {
  const [first] = lanes.users;
  if (first === undefined) return undefined;
  const [userId, ofUser] = first;
  const next = ofUser.shift();
  lanes.users.delete(userId);
  if (ofUser.length > 0) lanes.users.set(userId, ofUser);
  lanes.waiting -= 1;
  return next;
}
