import type { TurnPointer, TurnWorker, TurnWorkerOptions } from "@jaf/memory/adapter";
import { type Job, Worker } from "bullmq";
import { connectionsOf, inTime } from "./connections.ts";
import { toMemoryError } from "./errors.ts";
import type { QueueSettings } from "./options.ts";

/**
 * A worker holds a lock on each of its jobs and renews it every half of this time. If the process dies, another worker gets
 * the job after this time and at most one more check.
 */
const LOCK_MS = 15_000;
const CHECK_EVERY_MS = 5_000;
/** How many times a job is delivered again whose process died. After that, the turn itself probably ends processes. */
const MOST_DEATHS = 6;

/** Begins to work on the jobs of a queue. */
export function openWorker(settings: QueueSettings, options: TurnWorkerOptions): TurnWorker {
  const { handle, concurrency, onError } = options;
  const { name, prefix } = settings;
  const running = new Set<{ readonly jobId: string; readonly controller: AbortController }>();
  let onIdle = () => {};

  function abort(lost: string): void {
    for (const { jobId, controller } of running) if (jobId === lost) controller.abort();
  }

  async function deliver({ id = "", data }: Job<TurnPointer>): Promise<void> {
    // If this worker gets a job that it still handles, it has lost the lock.
    abort(id);
    const call = { jobId: id, controller: new AbortController() };
    running.add(call);
    try {
      await handle({ conversationId: data.conversationId, turnId: data.turnId }, call.controller.signal);
    } catch {
      // BullMQ stores the message of the error, and a message may contain data of the turn.
      throw new Error("The turn must be delivered again.");
    } finally {
      running.delete(call);
      if (running.size === 0) onIdle();
    }
  }

  const worker = new Worker<TurnPointer>(name, deliver, {
    ...{ connection: connectionsOf(settings).forWorkers, prefix, concurrency },
    lockDuration: LOCK_MS,
    stalledInterval: CHECK_EVERY_MS,
    maxStalledCount: MOST_DEATHS,
  });
  worker.on("error", (error) => onError(toMemoryError("work", error)));
  worker.on("lockRenewalFailed", (jobIds) => {
    for (const jobId of jobIds) abort(jobId);
  });

  const idle = () =>
    new Promise<void>((resolve) => {
      onIdle = resolve;
      if (running.size === 0) resolve();
    });

  async function close(): Promise<void> {
    const closing = worker.close();
    let isClosed = false;
    do {
      await Promise.race([closing, idle()]);
      // Without Redis, BullMQ would wait forever to say that the jobs are done.
      isClosed = await inTime(closing).then(
        () => true,
        () => false,
      );
    } while (!isClosed && running.size > 0);
    if (!isClosed) await inTime(worker.getBackend().close(true)).catch(() => {});
  }
  return { close };
}
