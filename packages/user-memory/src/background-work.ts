import { withDeadline } from "@jaf/memory/adapter";

/** The maximum delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves with the result of `work`. Rejects with `late()` if the work takes longer than `milliseconds`, and ignores its
 * result then.
 */
export async function beforeDeadline<T>(
  milliseconds: number,
  work: () => T | PromiseLike<T>,
  late: () => Error = () => new Error(`It took longer than ${milliseconds} ms.`),
): Promise<T> {
  const timeoutMs = Math.min(milliseconds, MAX_TIMER_MS);
  return withDeadline(Promise.resolve().then(work), { timeoutMs, timeoutError: late });
}

/** The work of this process per user memory that continues after its runs. */
const underWay = new WeakMap<object, Set<Promise<unknown>>>();

/** Returns the queue of a store if it has one: a wrapper of a store has the same queue. */
export function workKeyOf(memory: object): object {
  const { queue } = memory as { readonly queue?: unknown };
  return typeof queue === "object" && queue !== null ? queue : memory;
}

/** Tracks work for a memory until it settles. A rejection is ignored here. */
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

/**
 * Waits until all work for a memory is done, including work that begins meanwhile, or until `timeoutMs` milliseconds have
 * passed. Default: no time limit. Never rejects.
 */
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
