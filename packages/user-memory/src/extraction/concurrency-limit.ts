/** Maximum number of waiting jobs in a process for one memory, and for one user. Further jobs stay in the queue. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_USER = 100;

interface WorkQueue {
  active: number;
  waiting: number;
  /** The waiting jobs of each user. The first user is next. */
  readonly users: Map<string, (() => void)[]>;
}

export interface LimitedWork {
  /** Maximum number of concurrent jobs. */
  readonly concurrency: number;
  /** Waiting users take turns, however many jobs each has. */
  readonly userId: string;
  /** If `false`, the job waits even if the limit of waiting jobs is reached. */
  readonly canBeRefused: boolean;
}

const queuesOf = new WeakMap<object, WorkQueue>();

const queueFor = (key: object): WorkQueue => {
  const queue = queuesOf.get(key) ?? { active: 0, waiting: 0, users: new Map() };
  queuesOf.set(key, queue);
  return queue;
};

/** Runs work within the concurrency limit of a key. Returns `undefined`, without running it, if too many jobs wait. */
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

/** Whether too many jobs wait to take over jobs of other processes. */
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
    // The next job takes over this one's place in the limit.
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
