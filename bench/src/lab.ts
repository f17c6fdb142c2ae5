type Cleanup = () => Promise<void> | void;

/** What a part of the benchmark started, to be stopped in reverse order, whatever happens. */
export interface Lab {
  readonly onEnd: (cleanup: Cleanup) => void;
  /** One line on standard error. */
  readonly progress: (text: string) => void;
}

const running = new Set<() => Promise<void>>();

/** Stops whatever any lab started: for a signal. */
export async function stopLabs(): Promise<void> {
  await Promise.all([...running].map((stop) => stop()));
}

/** Runs with a lab of its own, and stops everything in it at the end. */
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
  // Once: what a signal interrupts ends here too, and both wait for the same end.
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

/** `run` for each item, `width` of them at a time. */
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
