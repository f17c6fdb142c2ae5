/** Runs asynchronous tasks with the same key one after another. */
export interface KeyedQueue {
  /**
   * Runs the task after all earlier tasks with the same key have ended, even if they failed. Tasks with other keys
   * don't wait for this task.
   */
  readonly run: <T>(key: string, task: () => Promise<T>) => Promise<T>;
  /** Runs the task alone: after all earlier tasks of the queue, and before all later ones. */
  readonly runAlone: <T>(task: () => Promise<T>) => Promise<T>;
}

const afterwards = (run: Promise<unknown>): Promise<void> =>
  run.then(
    () => {},
    () => {}, // The task's caller gets the error; the next task still runs.
  );

/**
 * Creates a queue for asynchronous tasks in this process. A key only takes up memory while a task with this key waits
 * or runs.
 */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<void>>();
  let barrier: Promise<void> = Promise.resolve();
  return {
    run: (key, task) => {
      const run = Promise.all([barrier, last.get(key)]).then(task);
      const end = afterwards(run).then(() => {
        if (last.get(key) === end) last.delete(key);
      });
      last.set(key, end);
      return run;
    },
    runAlone: (task) => {
      const run = Promise.all([barrier, ...last.values()]).then(task);
      barrier = afterwards(run);
      return run;
    },
  };
}
