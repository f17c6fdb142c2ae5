import {
  createMemoryStorageError,
  defineTurnQueue,
  type Submission,
  type TurnPointer,
  type TurnQueue,
  type TurnWorkerOptions,
} from "@jaf/memory/adapter";

interface Job {
  readonly pointer: TurnPointer;
  readonly submission: Submission;
}

/** A queue in this process, and what a test does to it. */
export interface TestQueue {
  readonly queue: TurnQueue;
  /** The pointers that wait, in their order, with their options. */
  readonly waiting: () => readonly Job[];
  /** All submissions so far, also those of pointers that waited already. */
  readonly submitted: readonly Job[];
  /** Loses all pointers that wait. */
  readonly lose: () => void;
  /** Whether each call fails from now on. */
  readonly setDown: (isDown: boolean) => void;
}

/** Creates a queue for tests. A rejected pointer is delivered again after 20 ms. */
export function createTestQueue(): TestQueue {
  let jobs: Job[] = [];
  const submitted: Job[] = [];
  const workers = new Set<{ free: number; readonly options: TurnWorkerOptions }>();
  const running = new Set<Promise<void>>();
  let isDown = false;

  function deliver(): void {
    for (const worker of workers) {
      while (worker.free > 0 && jobs.length > 0) {
        const job = jobs.reduce((best, other) =>
          other.submission.priority > best.submission.priority ? other : best,
        );
        jobs = jobs.filter((other) => other !== job);
        worker.free -= 1;
        const done = worker.options
          .handle(job.pointer, new AbortController().signal)
          .catch(() => void setTimeout(() => add(job), 20))
          .then(() => {
            worker.free += 1;
            running.delete(done);
            deliver();
          });
        running.add(done);
      }
    }
  }

  function add(job: Job): void {
    const isKnown = jobs.some(({ pointer }) => keyOf(pointer) === keyOf(job.pointer));
    if (!isKnown) jobs.push(job);
    deliver();
  }

  const queue = defineTurnQueue({
    name: "test",
    submit: async (pointer, submission) => {
      if (isDown) throw new Error("the queue is down");
      submitted.push({ pointer, submission });
      add({ pointer, submission });
    },
    cancel: async (pointer) => {
      const left = jobs.filter((job) => keyOf(job.pointer) !== keyOf(pointer));
      const hasRemoved = left.length < jobs.length;
      jobs = left;
      return hasRemoved;
    },
    work: (options) => {
      const worker = { free: options.concurrency, options };
      workers.add(worker);
      deliver();
      return {
        close: async () => {
          workers.delete(worker);
          await Promise.all(running);
        },
      };
    },
    close: async () => {},
    toMemoryError: (operation) =>
      createMemoryStorageError(operation, "the queue is down", { provider: "test", retryable: true }),
  });

  return {
    queue,
    submitted,
    waiting: () => jobs,
    lose: () => {
      jobs = [];
    },
    setDown: (down) => {
      isDown = down;
    },
  };
}

const keyOf = ({ conversationId, turnId }: TurnPointer): string => JSON.stringify([conversationId, turnId]);
