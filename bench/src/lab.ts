type Cleanup = () => Promise<void> | void;

/** The started resources of a part of the benchmark. They are always stopped, in reverse order. */
export interface Lab {
  readonly onEnd: (cleanup: Cleanup) => void;
  /** Prints a line on standard error. */
  readonly progress: (text: string) => void;
}

const running = new Set<() => Promise<void>>();

/** Stops the resources of all labs, for a signal. */
export async function stopLabs(): Promise<void> {
  await Promise.all([...running].map((stop) => stop()));
}

/** Runs with a new lab, and finally stops everything in it. */
export async function withLab<T>(run: (lab: Lab) => Promise<T>): Promise<T> {
  const cleanups: Cleanup[] = [];
  const stopAll = async () => {
    for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
      try {
        await cleanup();
      } catch (thrown) {
        process.stderr.write(`While stopping: ${String(thrown)}\n`);
      }
    }
    running.delete(stop);
  };
  // Only once: an interrupted part also ends here, and both wait for the same end.
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopAll();
    return stopped;
  };
  running.add(stop);
  try {
    return await run({
      onEnd: (cleanup) => cleanups.push(cleanup),
      progress: (text) => process.stderr.write(`  ${text}\n`),
    });
  } finally {
    await stop();
  }
}

/** Calls `run` for each item, `width` of them at a time. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
