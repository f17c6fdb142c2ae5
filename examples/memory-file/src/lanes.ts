/** Runs changes one after the other where they touch the same conversation, and at the same time elsewhere. */
export interface Lanes {
  readonly one: <T>(conversationId: string, change: () => Promise<T>) => Promise<T>;
  /** Alone: after everything that came before, ahead of everything that comes later. */
  readonly all: <T>(change: () => Promise<T>) => Promise<T>;
}

const quiet = (run: Promise<unknown>): Promise<void> =>
  run.then(
    () => {},
    () => {}, // Its caller hears of it; the next one goes on.
  );

export function createLanes(): Lanes {
  const tails = new Map<string, Promise<void>>();
  let barrier: Promise<void> = Promise.resolve();

  return {
    one: (conversationId, change) => {
      const run = Promise.all([barrier, tails.get(conversationId)]).then(change);
      const tail = quiet(run).then(() => {
        if (tails.get(conversationId) === tail) tails.delete(conversationId);
      });
      tails.set(conversationId, tail);
      return run;
    },
    all: (change) => {
      const run = Promise.all([barrier, ...tails.values()]).then(change);
      barrier = quiet(run);
      return run;
    },
  };
}
