export interface KeyedQueue {
  /** After all tasks of this key that came before, whatever became of them; tasks of other keys don't wait for it. */
  readonly run: <T>(key: string, task: () => Promise<T>) => Promise<T>;
  /** Alone: after all tasks that came before, of whatever key, and ahead of all that come later. */
  readonly runAlone: <T>(task: () => Promise<T>) => Promise<T>;
}

const settled = (run: Promise<unknown>): Promise<void> =>
  run.then(
    () => {},
    () => {}, // Its caller hears of it; the next one goes on.
  );

/** Orders asynchronous tasks within this process. Remembers a key for as long as a task of it is under way. */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<void>>();
  let barrier: Promise<void> = Promise.resolve();
  return {
    run: (key, task) => {
      const run = Promise.all([barrier, last.get(key)]).then(task);
      const end = settled(run).then(() => {
        if (last.get(key) === end) last.delete(key);
      });
      last.set(key, end);
      return run;
    },
    runAlone: (task) => {
      const run = Promise.all([barrier, ...last.values()]).then(task);
      barrier = settled(run);
      return run;
    },
  };
}
