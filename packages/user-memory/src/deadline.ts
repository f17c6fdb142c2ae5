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
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.min(milliseconds, MAX_TIMER_MS));
  });
  try {
    return await Promise.race([Promise.resolve().then(work), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
