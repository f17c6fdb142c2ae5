/**
 * Maximum number of jobs that wait in this process until they can start. `MAX_WAITING`: per user memory.
 * `MAX_WAITING_OF_USER`: per user. Further jobs stay in the store's queue.
 */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_USER = 100;

interface WorkQueue {
  active: number;
  waiting: number;
  /**
   * For each user, the functions that start the user's waiting jobs, oldest first. The next job to start is the oldest
   * job of the first user in this map.
   */
  readonly users: Map<string, (() => void)[]>;
}

export interface LimitedWork {
  /** Maximum number of jobs that run at the same time. */
  readonly concurrency: number;
  /** The user of the job. If several users have waiting jobs, the jobs of these users start alternately. */
  readonly userId: string;
  /** If `true`, the job is refused when too many jobs wait. If `false`, the job waits in any case. */
  readonly canBeRefused: boolean;
}

const queuesOf = new WeakMap<object, WorkQueue>();

const queueFor = (key: object): WorkQueue => {
  const queue = queuesOf.get(key) ?? { active: 0, waiting: 0, users: new Map() };
  queuesOf.set(key, queue);
  return queue;
};

/**
 * Runs `work` (a job) as soon as fewer than `concurrency` jobs of the user memory `key` are running. Returns the
 * promise of the job's result. If `canBeRefused` is `true` and too many jobs wait, returns `undefined` and never runs
 * `work`.
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

/**
 * Whether the maximum number of jobs waits in this process. If it does, this process must not take over jobs of other
 * processes. `key` is the user memory.
 */
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
