import { parseOptions } from "@jaf/memory/adapter";
import { trackWork, workKeyOf } from "../background-work.ts";
import { reportFailure } from "../errors.ts";
import { bindOptions } from "../options.ts";
import type { LeasedJob, UserMemoryStore } from "../store.ts";
import { withConcurrencyLimit } from "./concurrency-limit.ts";
import { type CompleteText, ExtractionError, type ExtractionScope, extractFacts } from "./extraction.ts";
import { type ExtractFacts, type ExtractionOptions, processOptionsSchema } from "./options.ts";

export interface ProcessExtractionsOptions extends Omit<ExtractionOptions, "extract"> {
  /**
   * Proposes the facts instead of a model. `"verbatim"`: this worker has none to ask and does the jobs that quote what was said;
   * `onError` is called for the others, which stay in the queue for a worker that has a model.
   */
  readonly extract?: ExtractFacts | "verbatim" | undefined;
  /** Asks a model once; `request.model` is the spec's `extractWith`, if it had one. Needed unless `extract` is given. */
  readonly complete?: CompleteText | undefined;
  /** How many jobs at most. Default 100. */
  readonly limit?: number | undefined;
  /** Once it is aborted, no further job is begun. */
  readonly signal?: AbortSignal | undefined;
}

/** How many jobs came to which end. */
export interface ProcessedExtractions {
  readonly done: number;
  /** They will be tried again. */
  readonly delayed: number;
  readonly givenUp: number;
}

/**
 * Does the extraction jobs that wait in a store's queue: what a process left that crashed, and what failed before. For a
 * worker or a timer; a process that runs agents does a few by itself. Resolves once no job is ready any more, or `limit` is
 * reached. Rejects where the store can't be read; throws a `TypeError` for options that are wrong.
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
/** Beyond `maxAttempts`, so often may a job be leased without being tried: refused by the concurrency limit, or lost with a process. */
const MAX_UNTRIED_LEASES = 3;

/** `"delayed"`: it will be tried again. */
export type AttemptOutcome = "done" | "delayed" | "given-up";

/**
 * Works on a leased job, as soon as the concurrency limit of this process allows. What fails is reported and released
 * for later, or given up. Never rejects.
 */
export async function attemptJob(scope: ExtractionScope, leased: LeasedJob): Promise<AttemptOutcome> {
  const { settings, memory } = scope;
  const { concurrency, leaseMs, retryDelayMs } = settings;
  try {
    const held = holdLease(leased, leaseMs);
    const work = async () => ((await held.take()) ? attempt(scope, leased) : "delayed");
    // What comes from the queue was refused before, or tried: it isn't delayed again untried.
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
    const message = "An extraction job that needs a model was left in the queue: this worker has none.";
    reportFailure(settings, new ExtractionError({ code: "model", message, attempt }));
    await leased.release(MAX_DELAY_MS);
    return "delayed";
  }
  // Handed out so often without an end, it takes its process down.
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

/** However often a worker that has nobody to ask was handed it, it isn't given up here. */
const isOutOfReach = ({ settings, complete }: ExtractionScope, { job }: LeasedJob): boolean =>
  job.isVerbatim !== true && settings.extract === undefined && complete === undefined;

async function giveUp({ settings }: ExtractionScope, leased: LeasedJob, cause: unknown): Promise<"given-up"> {
  const message = "An extraction job failed as often as maxAttempts allows. It won't be tried again.";
  reportFailure(settings, new ExtractionError({ code: "given-up", message, attempt: leased.attempt, cause }));
  await leased.complete();
  return "given-up";
}

/** A job lease that is renewed while its job waits to be started. */
export interface HeldLease {
  /** Ends the waiting. Resolves with whether the job is still the caller's, then for nearly a whole lease. */
  readonly take: () => Promise<boolean>;
}

/** Of a lease, so much may be gone before it is renewed. */
const RENEWED_AFTER = 1 / 3;
const GONE_AT_START = 1 / 10;

/** Renews a lease that has just begun, until it is taken: waiting is no attempt, so nobody else is to be handed the job. */
export function holdLease(leased: Pick<LeasedJob, "release">, leaseMs: number): HeldLease {
  let since = performance.now();
  let renewal: Promise<void> | undefined;
  // From then on somebody else may have it.
  const isOver = (): boolean => performance.now() - since >= leaseMs;
  const renew = async (): Promise<void> => {
    if (isOver()) return;
    const now = performance.now();
    // A job that is released for later is handed to nobody before.
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
