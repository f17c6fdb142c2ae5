import { parseOptions } from "@jaf/memory/adapter";
import { trackWork, workKeyOf } from "../background-work.ts";
import { reportFailure } from "../errors.ts";
import { bindOptions } from "../options.ts";
import type { LeasedJob, UserMemoryStore } from "../store.ts";
import { withConcurrencyLimit } from "./concurrency-limit.ts";
import { type CompleteText, ExtractionError, type ExtractionScope, extractFacts } from "./extraction.ts";
import { type ExtractFacts, type ExtractionOptions, processOptionsSchema } from "./options.ts";

/** Options of {@link processExtractions}. */
export interface ProcessExtractionsOptions extends Omit<ExtractionOptions, "extract"> {
  /**
   * Your function that proposes the facts, instead of a model. With `"verbatim"`, this worker has no model and only
   * runs jobs that quote all of the user's words. Jobs that need a model stay in the queue for another worker, and
   * `onError` is called for each of them.
   */
  readonly extract?: ExtractFacts | "verbatim" | undefined;
  /**
   * Calls a model once. `request.model` is the `extractWith` of `Agent.remembers`, if it is set. Required if `extract`
   * isn't set.
   */
  readonly complete?: CompleteText | undefined;
  /** Maximum number of jobs that this call runs. Default 100. */
  readonly limit?: number | undefined;
  /** If this signal aborts, no further jobs are leased. Jobs that this call has leased before are still run. */
  readonly signal?: AbortSignal | undefined;
}

/** How many jobs {@link processExtractions} ran, by outcome. */
export interface ProcessedExtractions {
  /** Number of jobs that succeeded. */
  readonly done: number;
  /** Number of jobs that failed and will be retried. */
  readonly delayed: number;
  /** Number of jobs that were deleted, because their last attempt failed. */
  readonly givenUp: number;
}

/**
 * Runs the available extraction jobs in a store's queue: jobs that failed before, and jobs that a crashed process left
 * behind. Call this function in a worker or with a timer. Processes that run agents take over a few of these jobs.
 * Resolves in three cases: no job is available, `limit` jobs were run, or `signal` aborted. Rejects if the queue can't
 * be read, and with a `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import type { CompletionRequest } from "@jaf/core";
 * import { processExtractions, type UserMemoryStore } from "@jaf/user-memory";
 *
 * declare const memory: UserMemoryStore;
 * declare function complete(request: CompletionRequest): Promise<string>;
 *
 * setInterval(async () => {
 *   const { done, delayed, givenUp } = await processExtractions(memory, { complete, limit: 50 });
 *   console.log(`Extractions: ${done} done, ${delayed} delayed, ${givenUp} given up`);
 * }, 30_000);
 * ```
 */
export async function processExtractions(
  memory: UserMemoryStore,
  options: ProcessExtractionsOptions,
): Promise<ProcessedExtractions> {
  const given = bindOptions(processOptionsSchema, options);
  const parsed = { ...given, ...parseOptions(processOptionsSchema, given, "extraction options") };
  const { extract, complete, limit, signal, ...rest } = parsed;
  const isVerbatim = extract === "verbatim";
  if (complete === undefined && extract === undefined) {
    throw new TypeError(
      'Invalid extraction options: expected complete, or extract (a function, or "verbatim").',
    );
  }
  if (isVerbatim && complete !== undefined) {
    throw new TypeError('Invalid extraction options: complete: expected none beside extract: "verbatim"');
  }
  const settings = { ...rest, extract: isVerbatim ? undefined : extract };
  const { concurrency, leaseMs } = settings;
  const counts = { done: 0, delayed: 0, "given-up": 0 };
  const work = async (): Promise<void> => {
    for (let left = limit; left > 0 && signal?.aborted !== true; ) {
      const jobs = await memory.queue.lease({ limit: Math.min(concurrency, left), leaseMs });
      if (jobs.length === 0) return;
      const outcomes = await Promise.all(jobs.map((job) => attemptJob({ memory, settings, complete }, job)));
      for (const outcome of outcomes) counts[outcome] += 1;
      left -= jobs.length;
    }
  };
  const working = work();
  trackWork(memory, working);
  await working;
  return { done: counts.done, delayed: counts.delayed, givenUp: counts["given-up"] };
}

const MAX_DELAY_MS = 15 * 60 * 1_000;
/** A job with more leases than `maxAttempts` plus this number is deleted without another attempt. */
// A lease ends without an attempt if too many jobs wait, or if the process crashes.
const MAX_UNTRIED_LEASES = 3;

/**
 * The outcome of an attempt at a job:
 *
 * - `"done"`: the job succeeded.
 * - `"delayed"`: the job will be retried.
 * - `"given-up"`: the job failed for the last time and is deleted.
 */
export type AttemptOutcome = "done" | "delayed" | "given-up";

/**
 * Runs a leased job as soon as the concurrency limit allows it. Never rejects: a failed job is released for a later
 * attempt or, after its last attempt, deleted.
 */
export async function attemptJob(scope: ExtractionScope, leased: LeasedJob): Promise<AttemptOutcome> {
  const { settings, memory } = scope;
  const { concurrency, leaseMs, retryDelayMs } = settings;
  try {
    const held = holdLease(leased, leaseMs);
    const work = async () => ((await held.take()) ? attempt(scope, leased) : "delayed");
    // A job that was leased before isn't refused again.
    const entry = { concurrency, userId: leased.job.userId, canBeRefused: leased.attempt === 1 };
    const done = withConcurrencyLimit(workKeyOf(memory), entry, work);
    if (done !== undefined) return await done;
    await held.take();
    await leased.release(Math.min(MAX_DELAY_MS, retryDelayMs));
  } catch (thrown) {
    reportFailure(settings, thrown);
  }
  return "delayed";
}

async function attempt(scope: ExtractionScope, leased: LeasedJob): Promise<AttemptOutcome> {
  const { settings } = scope;
  const { maxAttempts, retryDelayMs } = settings;
  if (isOutOfReach(scope, leased)) {
    const { attempt } = leased;
    const message =
      "This worker has no model, so an extraction job stays in the queue. Run a worker with complete or extract.";
    reportFailure(settings, new ExtractionError({ code: "model", message, attempt }));
    await leased.release(MAX_DELAY_MS);
    return "delayed";
  }
  // A job that was leased this often without an outcome probably crashes its process.
  if (leased.attempt > maxAttempts + MAX_UNTRIED_LEASES) return giveUp(scope, leased, undefined);
  try {
    await extractFacts(scope, leased.job, leased.attempt);
  } catch (thrown) {
    if (leased.attempt >= maxAttempts) return giveUp(scope, leased, thrown);
    reportFailure(settings, thrown);
    await leased.release(Math.min(MAX_DELAY_MS, retryDelayMs * 2 ** (leased.attempt - 1)));
    return "delayed";
  }
  await leased.complete();
  return "done";
}

/** Whether a job needs a model, but this worker has neither a model nor `extract`. */
const isOutOfReach = ({ settings, complete }: ExtractionScope, { job }: LeasedJob): boolean =>
  job.isVerbatim !== true && settings.extract === undefined && complete === undefined;

async function giveUp({ settings }: ExtractionScope, leased: LeasedJob, cause: unknown): Promise<"given-up"> {
  const message = "An extraction job failed maxAttempts times. It won't be retried.";
  reportFailure(settings, new ExtractionError({ code: "given-up", message, attempt: leased.attempt, cause }));
  await leased.complete();
  return "given-up";
}

/** A job lease that is renewed while the job waits to start. */
export interface HeldLease {
  /** Ends the repeated renewal of the lease. Resolves with whether the caller still holds the lease. */
  readonly take: () => Promise<boolean>;
}

/** The lease of a waiting job is renewed each time that this share of its duration is over. */
const RENEWED_AFTER = 1 / 3;
/** When the job starts, the lease is renewed if more than this share of its duration is over. */
const GONE_AT_START = 1 / 10;

/** Renews a new lease at intervals until the method `take` of the result is called. */
export function holdLease(leased: Pick<LeasedJob, "release">, leaseMs: number): HeldLease {
  let since = performance.now();
  let renewal: Promise<void> | undefined;
  // When the lease is over, another worker can have it.
  const isOver = (): boolean => performance.now() - since >= leaseMs;
  const renew = async (): Promise<void> => {
    if (isOver()) return;
    const now = performance.now();
    // Other workers can't lease a released job before its delay is over.
    await leased.release(leaseMs);
    since = now;
  };
  const timer = setInterval(
    () => {
      renewal ??= renew()
        .catch(() => undefined)
        .finally(() => {
          renewal = undefined;
        });
    },
    Math.ceil(leaseMs * RENEWED_AFTER),
  );
  timer.unref();
  return {
    take: async () => {
      clearInterval(timer);
      await renewal;
      if (performance.now() - since > leaseMs * GONE_AT_START) await renew();
      return !isOver();
    },
  };
}
