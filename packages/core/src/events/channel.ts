/** A queue between one writer, who never waits, and one reader. */
export interface Channel<T> {
  readonly push: (value: T) => void;
  readonly end: () => void;
  readonly fail: (thrown: unknown) => void;
  /** `onLeave`: the reader stopped before the end, maybe before it began. */
  readonly read: (
    onLeave: () => Promise<void>,
  ) => Required<Pick<AsyncIterator<T, undefined>, "next" | "return">>;
}

/** How the writer ended. */
interface Closed {
  readonly failure?: { readonly thrown: unknown };
}

const finished = { done: true, value: undefined } as const;

export function createChannel<T>(): Channel<T> {
  // Read as a whole list: to shift one by one is quadratic for a late reader.
  let incoming: T[] = [];
  let batch: Iterator<T> = [].values();
  let closed: Closed | undefined;
  let left = false;
  let waiting: (() => void)[] = [];
  const notify = () => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const close = (how: Closed) => {
    closed ??= how;
    notify();
  };

  async function next(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      if (left) return finished;
      let taken = batch.next();
      if (taken.done === true && incoming.length > 0) {
        batch = incoming.values();
        incoming = [];
        taken = batch.next();
      }
      if (taken.done !== true) return taken;
      if (closed !== undefined) {
        left = true;
        if (closed.failure !== undefined) throw closed.failure.thrown;
        return finished;
      }
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
  }

  return {
    push: (value) => {
      incoming.push(value);
      notify();
    },
    end: () => close({}),
    fail: (thrown) => close({ failure: { thrown } }),
    // By hand: a generator that was left before its first `next`, or while one is pending, wouldn't run its `finally`.
    read: (onLeave) => ({
      next,
      return: async () => {
        const isFirst = !left;
        left = true;
        notify();
        if (isFirst && closed === undefined) await onLeave();
        return finished;
      },
    }),
  };
}
