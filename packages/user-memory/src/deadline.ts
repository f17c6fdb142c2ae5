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
