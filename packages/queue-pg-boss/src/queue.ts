import { callSafely, defineTurnQueue, type TurnQueue } from "@jaf/memory/adapter";
import { createDatabaseOpener } from "./database.ts";
import { toMemoryError } from "./errors.ts";
import { createJobs } from "./jobs.ts";
import { type PgBossQueueOptions, parseQueueOptions } from "./options.ts";
import { startWorker, type WakeableWorker } from "./worker.ts";

/**
 * Creates a queue of turns on pg-boss, for the option `queue` of a server. It connects with the first call. Then it
 * creates the tables of pg-boss and the queue, if they are missing. Throws a `TypeError` that names an invalid option.
 *
 * Jobs hold only the ids of a conversation and a turn, and are deleted when the turn has ended. A worker asks for jobs
 * when this process submits one, when one of its turns has ended, and every 500 ms while it has places left. The
 * workers' `onError` receives tagged errors.
 *
 * @example
 * ```ts
 * import { createPgBossQueue } from "@jaf/queue-pg-boss";
 *
 * const queue = createPgBossQueue({ connectionString: "postgres://localhost/jaf" });
 * const submitted = await queue.submit({ conversationId: "conv-1", turnId: "turn-1" });
 * if (!submitted.success) console.error(submitted.error.message);
 * await queue.close();
 * ```
 */
export function createPgBossQueue(options: PgBossQueueOptions): TurnQueue {
  const settings = parseQueueOptions(options);
  const workers = new Map<WakeableWorker, (operation: string, thrown: unknown) => void>();
  const database = createDatabaseOpener(settings, (thrown) => {
    for (const report of workers.values()) report("maintain", thrown);
  });
  const jobs = createJobs(database.open, settings);
  return defineTurnQueue({
    name: "pg-boss",
    submit: async (pointer, submission) => {
      await jobs.submit(pointer, submission);
      for (const worker of workers.keys()) worker.wake();
    },
    cancel: jobs.cancel,
    work: ({ onError, ...rest }) => {
      const report = (operation: string, thrown: unknown) =>
        callSafely(
          () => onError(toMemoryError(operation, thrown)),
          () => {},
        );
      const worker = startWorker(jobs, { ...rest, onError: (thrown) => report("work", thrown) });
      workers.set(worker, report);
      return { close: () => worker.close().finally(() => workers.delete(worker)) };
    },
    close: database.close,
    toMemoryError,
  });
}
