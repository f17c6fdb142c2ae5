import { workKeyOf } from "../background-work.ts";
import type { LeasedJob } from "../queue/queue.ts";
import { reportFailure } from "../report.ts";
import { withConcurrencyLimit } from "./concurrency-limit.ts";
import { ExtractionError } from "./error.ts";
import { type ExtractionScope, extractFacts } from "./extraction.ts";
import { holdLease } from "./lease.ts";

const MAX_DELAY_MS = 15 * 60 * 1_000;
/** Beyond `maxAttempts`, so often may a turn be leased without being tried: refused by the concurrency limit, or lost with a process. */
const UNTRIED = 3;

/** `"put-off"`: it will be tried again. */
export type AttemptOutcome = "done" | "put-off" | "given-up";

/**
 * Works on a leased job, as soon as the concurrency limit of this process allows. What fails is reported and released
 * for later, or given up. Never rejects.
 */
export async function attemptJob(scope: ExtractionScope, leased: LeasedJob): Promise<AttemptOutcome> {
  const { settings, memory } = scope;
  const { concurrency, leaseMs, retryDelayMs } = settings;
  try {
    const held = holdLease(leased, leaseMs);
    const work = async () => ((await held.take()) ? attempt(scope, leased) : "put-off");
    // What comes from the queue was refused before, or tried: it isn't put off again untried.
    const entry = { concurrency, userId: leased.job.userId, canBeRefused: leased.attempt === 1 };
    const done = withConcurrencyLimit(workKeyOf(memory), entry, work);
    if (done !== undefined) return await done;
    await held.take();
    await leased.release(Math.min(MAX_DELAY_MS, retryDelayMs));
  } catch (thrown) {
    reportFailure(settings, thrown);
  }
  return "put-off";
}

async function attempt(scope: ExtractionScope, leased: LeasedJob): Promise<AttemptOutcome> {
  const { settings } = scope;
  const { maxAttempts, retryDelayMs } = settings;
  if (isOutOfReach(scope, leased)) {
    const { attempt } = leased;
    const message = "A turn whose facts a model is to propose was left in the queue: this worker has none.";
    reportFailure(settings, new ExtractionError({ code: "model", message, attempt }));
    await leased.release(MAX_DELAY_MS);
    return "put-off";
  }
  // Handed out so often without an end, it takes its process down.
  if (leased.attempt > maxAttempts + UNTRIED) return giveUp(scope, leased, undefined);
  try {
    await extractFacts(scope, leased.job, leased.attempt);
  } catch (thrown) {
    if (leased.attempt >= maxAttempts) return giveUp(scope, leased, thrown);
    reportFailure(settings, thrown);
    await leased.release(Math.min(MAX_DELAY_MS, retryDelayMs * 2 ** (leased.attempt - 1)));
    return "put-off";
  }
  await leased.complete();
  return "done";
}

/** However often a worker that has nobody to ask was handed it, it isn't given up here. */
const isOutOfReach = ({ settings, complete }: ExtractionScope, { job }: LeasedJob): boolean =>
  job.isVerbatim !== true && settings.extract === undefined && complete === undefined;

async function giveUp({ settings }: ExtractionScope, leased: LeasedJob, cause: unknown): Promise<"given-up"> {
  const message =
    "The facts of a turn could not be extracted, as often as maxAttempts allows. It won't be tried again.";
  reportFailure(settings, new ExtractionError({ code: "given-up", message, attempt: leased.attempt, cause }));
  await leased.complete();
  return "given-up";
}
