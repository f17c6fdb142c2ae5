import { trackWork, workKeyOf } from "../background-work.ts";
import { beforeDeadline } from "../deadline.ts";
import type { ExtractionJob, LeasedJob } from "../queue/queue.ts";
import { reportFailure } from "../report.ts";
import type { UserMemoryStore } from "../store.ts";
import { attemptJob } from "./attempt.ts";
import { isQueueFull } from "./concurrency-limit.ts";
import type { ExtractionScope } from "./extraction.ts";

/** How long a run waits until its turn is in the queue. */
const ENQUEUE_MS = 5_000;
/** A process looks for turns that others left at most this often, and takes so many. */
const TAKE_OVER_EACH_MS = 10_000;
const TAKE_OVER = 2;

const takenOverAt = new WeakMap<object, number>();

/** Puts a turn into the queue, and begins with it. */
export async function queueExtraction(
  scope: ExtractionScope,
  store: UserMemoryStore,
  jobFor: () => Promise<ExtractionJob>,
): Promise<void> {
  const { leaseMs } = scope.settings;
  const late = (): Error => new Error(`The store took longer than ${ENQUEUE_MS} ms to queue the turn.`);
  const leased = await beforeDeadline(
    ENQUEUE_MS,
    async () => store.queue.enqueue(await jobFor(), { leaseMs }),
    late,
  );
  // Somebody has it, or everything was forgotten meanwhile.
  if (leased === null) return;
  trackWork(store, workOff(scope, store, leased));
}

async function workOff(scope: ExtractionScope, store: UserMemoryStore, leased: LeasedJob): Promise<void> {
  await attemptJob(scope, leased);
  const key = workKeyOf(store);
  const { leaseMs } = scope.settings;
  const now = performance.now();
  if (
    isQueueFull(key) ||
    now - (takenOverAt.get(key) ?? Number.NEGATIVE_INFINITY) < Math.min(TAKE_OVER_EACH_MS, leaseMs)
  )
    return;
  takenOverAt.set(key, now);
  try {
    const left = await store.queue.lease({ limit: TAKE_OVER, leaseMs });
    await Promise.all(left.map((one) => attemptJob(scope, one)));
  } catch (thrown) {
    reportFailure(scope.settings, thrown);
  }
}

/** A store without a queue: the turn has this one attempt. */
export function extractAtOnce(scope: ExtractionScope, job: ExtractionJob): void {
  const once: ExtractionScope = { ...scope, settings: { ...scope.settings, maxAttempts: 1 } };
  const settle = async (): Promise<void> => undefined;
  trackWork(scope.memory, attemptJob(once, { job, attempt: 1, complete: settle, release: settle }));
}
