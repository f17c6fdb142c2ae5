/** Works on all items, at most `limit` at a time (all of them by default), starting in order. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number | undefined,
  work: (item: T) => Promise<void>,
): Promise<void> {
  if (limit === undefined || !(limit < items.length)) {
    await Promise.all(items.map(work));
    return;
  }
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.floor(limit)) }, worker));
}
