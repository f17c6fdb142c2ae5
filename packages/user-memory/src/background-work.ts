import { withDeadline } from "@jaf/memory/adapter";

/** The longest delay that a timer supports, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls `work` and resolves or rejects as `work` does. If `work` takes longer than `milliseconds`, rejects with the
 * error that `late` returns.
 */
export async function beforeDeadline<T>(
  milliseconds: number,
  work: () => T | PromiseLike<T>,
  late: () => Error = () => new Error(`It took longer than ${milliseconds} ms.`),
): Promise<T> {
  const timeoutMs = Math.min(milliseconds, MAX_TIMER_MS);
  return withDeadline(Promise.resolve().then(work), { timeoutMs, timeoutError: late });
}

/**
 * For each user memory, the unfinished work of this process, e.g. extraction jobs that continue after the end of a run.
 */
const underWay = new WeakMap<object, Set<Promise<unknown>>>();

/** Returns the object under which the unfinished work of a user memory is tracked. */
export function workKeyOf(memory: object): object {
  // A store and its wrapper have the same queue, so their work is tracked together.
  const { queue } = memory as { readonly queue?: unknown };
  return typeof queue === "object" && queue !== null ? queue : memory;
}

/**
 * Tracks work for a user memory until the work settles, so that {@link drainWork} can wait for it. Ignores a rejection.
 */
export function trackWork(memory: object, work: Promise<unknown>): void {
  const all = underWay.get(workKeyOf(memory)) ?? new Set();
  underWay.set(workKeyOf(memory), all);
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  all.add(settled);
  void settled.then(() => all.delete(settled));
}

/** Waits until all tracked work for a user memory is done, at most `timeoutMs` milliseconds. Never rejects. */
export async function drainWork(
  memory: object,
  { timeoutMs }: { readonly timeoutMs?: number | undefined } = {},
): Promise<void> {
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  const all = underWay.get(workKeyOf(memory));
  while (all !== undefined && all.size > 0) {
    const left = deadline - performance.now();
    if (left <= 0) return;
    await beforeDeadline(left, () => Promise.all(all)).catch(() => undefined);
  }
}
