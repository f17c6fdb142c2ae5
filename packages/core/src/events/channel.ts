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
  const { push, take } = createQueue<T>();
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
      const taken = take();
      if (taken !== undefined) return { done: false, value: taken.value };
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
      push(value);
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

/** Taken as a whole once it is read: shifting one by one is quadratic for a late reader. */
function createQueue<T>() {
  let incoming: T[] = [];
  let batch: Iterator<T> = [].values();
  return {
    push: (value: T): void => {
      incoming.push(value);
    },
    take: (): { readonly value: T } | undefined => {
      let next = batch.next();
      if (next.done === true && incoming.length > 0) {
        batch = incoming.values();
        incoming = [];
        next = batch.next();
      }
      return next.done === true ? undefined : { value: next.value };
    },
  };
}
