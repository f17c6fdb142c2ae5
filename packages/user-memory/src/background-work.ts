import { withDeadline } from "@jaf/memory/adapter";

/** The longest time that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * What somebody else's work resolves with. Rejects with `late()` if that takes longer, which says how long it was waited for
 * unless it is given; then nobody waits for it any more.
 */
export async function beforeDeadline<T>(
  milliseconds: number,
  work: () => T | PromiseLike<T>,
  late: () => Error = () => new Error(`It took longer than ${milliseconds} ms.`),
): Promise<T> {
  const timeoutMs = Math.min(milliseconds, MAX_TIMER_MS);
  return withDeadline(Promise.resolve().then(work), { timeoutMs, timeoutError: late });
}

/** What this process still does for a user memory, after the runs that asked for it. */
const underWay = new WeakMap<object, Set<Promise<unknown>>>();

/** A store that is wrapped, e.g. in a class, shares its queue with what it wraps. */
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
 * Resolves once all work for a memory is done, also what began meanwhile, or once `timeoutMs` have passed, in milliseconds;
 * default: however long it takes. Never rejects.
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
