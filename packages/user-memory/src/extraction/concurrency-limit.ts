/** So many jobs wait in a process for one memory, and so many of one user; further jobs are left to the queue. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_USER = 100;

interface WorkQueue {
  active: number;
  waiting: number;
  /** The waiting jobs of each user; the first user is served next. */
  readonly users: Map<string, (() => void)[]>;
}

export interface LimitedWork {
  /** So many do their work at a time. */
  readonly concurrency: number;
  /** Users who wait are served one after the other, however many jobs one of them has. */
  readonly userId: string;
  /** `false`: it waits, however many others do. */
  readonly canBeRefused: boolean;
}

const queuesOf = new WeakMap<object, WorkQueue>();

const queueFor = (key: object): WorkQueue => {
  const queue = queuesOf.get(key) ?? { active: 0, waiting: 0, users: new Map() };
  queuesOf.set(key, queue);
  return queue;
};

/** Does work with at most so many others at a time for the same key. `undefined`, and nothing is done: too many wait. */
export function withConcurrencyLimit<T>(
  key: object,
  entry: LimitedWork,
  work: () => Promise<T>,
): Promise<T> | undefined {
  const queue = queueFor(key);
  const { concurrency, userId, canBeRefused } = entry;
  const ofUser = queue.users.get(userId)?.length ?? 0;
  const isFull = queue.waiting >= MAX_WAITING || ofUser >= MAX_WAITING_OF_USER;
  if (canBeRefused && queue.active >= concurrency && isFull) return undefined;
  return enter(queue, entry, work);
}

/** Whether so many wait that no work of others is to be taken over. */
export const isQueueFull = (key: object): boolean => queueFor(key).waiting >= MAX_WAITING;

async function enter<T>(
  queue: WorkQueue,
  { concurrency, userId }: LimitedWork,
  work: () => Promise<T>,
): Promise<T> {
  if (queue.active >= concurrency) await new Promise<void>((resolve) => wait(queue, userId, resolve));
  else queue.active += 1;
  try {
    return await work();
  } finally {
    const next = nextOf(queue);
    // The next one takes over what this one held of the limit.
    if (next === undefined) queue.active -= 1;
    else next();
  }
}

function wait(queue: WorkQueue, userId: string, begin: () => void): void {
  const ofUser = queue.users.get(userId);
  if (ofUser === undefined) queue.users.set(userId, [begin]);
  else ofUser.push(begin);
  queue.waiting += 1;
}

function nextOf(queue: WorkQueue): (() => void) | undefined {
  const [first] = queue.users;
  if (first === undefined) return undefined;
  const [userId, ofUser] = first;
  const next = ofUser.shift();
  queue.users.delete(userId);
  if (ofUser.length > 0) queue.users.set(userId, ofUser);
  queue.waiting -= 1;
  return next;
}
