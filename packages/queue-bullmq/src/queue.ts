import { defineTurnQueue, type TurnPointer, type TurnQueue } from "@jaf/memory/adapter";
import { checkRelease } from "@jaf/memory/internal";
import { Queue } from "bullmq";
import { connectionsOf, inTime } from "./connections.ts";
import { PROVIDER, toMemoryError } from "./errors.ts";
import { JOB_NAME, jobIdOf, jobOptionsOf } from "./job.ts";
import { type BullMQQueueOptions, parseQueueOptions } from "./options.ts";
import { openWorker } from "./worker.ts";

/**
 * Creates a queue of turns on BullMQ. It connects to Redis with the first call. Throws a `TypeError` that names an invalid
 * option.
 *
 * - A pointer whose `handle` rejects is delivered again each 2 seconds, 29 times at most, and then given up.
 * - If the process of a worker dies, another worker gets its pointers within about 20 seconds.
 * - `submit` and `cancel` fail with a retryable `MemoryConnectionError` if Redis doesn't answer within five seconds. It may
 *   still do what was asked.
 * - Groups are ignored.
 *
 * @example
 * ```ts
 * import { createBullMQQueue } from "@jaf/queue-bullmq";
 *
 * const queue = createBullMQQueue({ connection: process.env["REDIS_URL"] ?? "redis://localhost:6379" });
 * await queue.submit({ conversationId: "conv-123", turnId: "turn-1" }, { priority: 10 });
 * ```
 */
export function createBullMQQueue(options: BullMQQueueOptions): TurnQueue {
  checkRelease(globalThis.JAF_RELEASE);
  const settings = parseQueueOptions(options);
  const { name, prefix } = settings;
  const calls = new Set<Promise<unknown>>();
  let opened: Queue<TurnPointer> | undefined;

  function open(): Queue<TurnPointer> {
    if (opened !== undefined) return opened;
    opened = new Queue(name, { connection: connectionsOf(settings).forCalls, prefix });
    // Each call reports its own failure.
    opened.on("error", () => {});
    return opened;
  }

  /** Calls BullMQ, and rejects if Redis doesn't answer in time. */
  async function call<T>(method: (queue: Queue<TurnPointer>) => Promise<T>): Promise<T> {
    const answer = inTime(method(open()));
    calls.add(answer);
    return answer.finally(() => calls.delete(answer));
  }

  async function close(): Promise<void> {
    await Promise.allSettled(calls);
    await opened?.getBackend().close(true);
  }

  return defineTurnQueue({
    name: PROVIDER,
    submit: async (pointer, submission) => {
      await call((queue) => queue.add(JOB_NAME, pointer, jobOptionsOf(pointer, submission)));
    },
    cancel: (pointer) =>
      call(async (queue) => {
        const jobId = jobIdOf(pointer);
        // BullMQ's `remove` also returns 1 for a job that doesn't exist, and 0 for one that is being handled.
        return (await queue.getJob(jobId)) !== undefined && (await queue.remove(jobId)) === 1;
      }),
    work: (workerOptions) => openWorker(settings, workerOptions),
    close,
    toMemoryError,
  });
}
