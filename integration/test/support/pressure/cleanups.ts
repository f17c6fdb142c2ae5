type Cleanup = () => unknown;

/** Always runs the functions passed to `onEnd`, in reverse order, and then rejects with the first error, if any. */
export async function withCleanups(use: (onEnd: (cleanup: Cleanup) => void) => Promise<void>): Promise<void> {
  const cleanups: Cleanup[] = [];
  const failures: unknown[] = [];
  const attempt = async (action: Cleanup) => {
    try {
      await action();
    } catch (thrown) {
      failures.push(thrown);
    }
  };
  await attempt(() => use((cleanup) => cleanups.push(cleanup)));
  for (const cleanup of cleanups.toReversed()) await attempt(cleanup);
  if (failures.length > 0) throw failures[0];
}
