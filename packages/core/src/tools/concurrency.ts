/** Works on all items, at most `limit` at a time (all of them by default), starting in order. */
export function forEachLimited<T>(
  items: readonly T[],
  limit: number | undefined,
  work: (item: T) => Promise<void> | undefined,
): Promise<unknown> | undefined {
  const [first] = items;
  // Most replies make one call.
  if (first !== undefined && items.length === 1) return work(first);
  if (limit === undefined || !(limit < items.length)) return Promise.all(items.map(work));
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  return Promise.all(Array.from({ length: Math.max(1, Math.floor(limit)) }, worker));
}
