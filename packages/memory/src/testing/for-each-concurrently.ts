const LANES = 8;

/**
 * Runs `task` on each item, a few at once. All at once, the last would stand in a slow store's queue for so long that it
 * counts as one that never settles.
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  task: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await task(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
