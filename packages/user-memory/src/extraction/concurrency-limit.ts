/** Maximum number of jobs per user memory that wait in this process. Further jobs stay in the store's queue. */
const MAX_WAITING = 1_000;
/** Maximum number of jobs per user that wait in this process. */
const MAX_WAITING_OF_USER = 100;

interface WorkQueue {
  active: number;
  waiting: number;
  /** For each user, the functions that start the user's waiting jobs, oldest first. */
  readonly users: Map<string, (() => void)[]>;
}

export interface LimitedWork {
  /** Maximum number of jobs that run at the same time. */
  readonly concurrency: number;
  /** The user of the job. */
  readonly userId: string;
  /** Whether the job is refused when too many jobs wait. */
  readonly canBeRefused: boolean;
}

const queuesOf = new WeakMap<object, WorkQueue>();

const queueFor = (key: object): WorkQueue => {
  const queue = queuesOf.get(key) ?? { active: 0, waiting: 0, users: new Map() };
  queuesOf.set(key, queue);
  return queue;
};

/**
 * Runs `work` as soon as fewer than `concurrency` jobs of the user memory `key` run, and returns its promise. Returns
 * `undefined` if the job is refused.
 */
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

/** Whether `MAX_WAITING` jobs of the user memory `key` wait in this process. */
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
    // The next waiting job takes the place of the finished job in the limit.
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
