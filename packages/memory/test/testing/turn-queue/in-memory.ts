import { createMemoryStorageError } from "../../../src/contract/errors.ts";
import { defineTurnQueue } from "../../../src/turn-queue/define-turn-queue.ts";
import type { TurnPointer, TurnQueue, TurnWorkerOptions } from "../../../src/turn-queue/turn-queue.ts";

interface Job {
  readonly pointer: TurnPointer;
  readonly priority: number;
  readonly number: number;
  dueAt: number;
  isActive: boolean;
  failures: number;
}

const MOST_DELIVERIES = 6;
const LONGEST_TIMER_MS = 2_147_483_647;

/** The storage of queues that share their pointers, in this process. */
export interface TurnQueueStorage {
  readonly jobs: Map<string, Job>;
  /** Called when a worker may find a new job. */
  readonly wakes: Set<() => void>;
}

export const createTurnQueueStorage = (): TurnQueueStorage => ({ jobs: new Map(), wakes: new Set() });

const keyOf = ({ conversationId, turnId }: TurnPointer): string => JSON.stringify([conversationId, turnId]);

/** A queue in the memory of this process, which is as simple as the contract allows. */
export function createInMemoryTurnQueue({ jobs, wakes }: TurnQueueStorage): TurnQueue {
  const wakeAll = () => {
    for (const wake of wakes) wake();
  };

  const nextOf = (due: readonly Job[]): Job | undefined =>
    due.toSorted((one, other) => other.priority - one.priority || one.number - other.number)[0];

  function work({ handle, concurrency }: TurnWorkerOptions) {
    const running = new Set<Promise<void>>();
    let isClosed = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function deliver(job: Job): Promise<void> {
      try {
        await handle(job.pointer, new AbortController().signal);
        jobs.delete(keyOf(job.pointer));
      } catch {
        job.isActive = false;
        job.failures += 1;
        job.dueAt = Date.now() + 100 * job.failures;
        if (job.failures >= MOST_DELIVERIES) jobs.delete(keyOf(job.pointer));
      }
    }

    function take(): void {
      clearTimeout(timer);
      while (!isClosed && running.size < concurrency) {
        const waiting = [...jobs.values()].filter(({ isActive }) => !isActive);
        const next = nextOf(waiting.filter(({ dueAt }) => dueAt <= Date.now()));
        if (next === undefined) {
          const soonest = Math.min(...waiting.map(({ dueAt }) => dueAt));
          if (waiting.length > 0) timer = setTimeout(take, Math.min(soonest - Date.now(), LONGEST_TIMER_MS));
          return;
        }
        next.isActive = true;
        const delivery = deliver(next).then(() => {
          running.delete(delivery);
          wakeAll();
        });
        running.add(delivery);
      }
    }

    wakes.add(take);
    take();
    return {
      close: async () => {
        isClosed = true;
        wakes.delete(take);
        clearTimeout(timer);
        await Promise.all(running);
      },
    };
  }

  return defineTurnQueue({
    name: "memory",
    submit: async (pointer, { at, priority }) => {
      if (jobs.has(keyOf(pointer))) return;
      const dueAt = at?.getTime() ?? 0;
      const number = Math.max(0, ...[...jobs.values()].map((job) => job.number)) + 1;
      jobs.set(keyOf(pointer), { pointer, priority, number, dueAt, isActive: false, failures: 0 });
      wakeAll();
    },
    cancel: async (pointer) => {
      const job = jobs.get(keyOf(pointer));
      return job !== undefined && !job.isActive && jobs.delete(keyOf(pointer));
    },
    work,
    close: async () => {},
    toMemoryError: (operation, thrown) =>
      createMemoryStorageError(operation, "the queue failed.", { provider: "memory", cause: thrown }),
  });
}
