import { parseOptions } from "@jaf/memory/adapter";
import { trackWork } from "../background-work.ts";
import { boundOptions } from "../bound-options.ts";
import type { UserMemoryStore } from "../store.ts";
import { attemptJob } from "./attempt.ts";
import type { CompleteText } from "./extraction.ts";
import { type ExtractFacts, type ExtractionOptions, processOptionsSchema } from "./options.ts";

export interface ProcessExtractionsOptions extends Omit<ExtractionOptions, "extract"> {
  /**
   * Proposes the facts instead of a model. `"verbatim"`: this worker has none to ask and does the turns that are quoted as they
   * are; `onError` is called for the others, which stay in the queue for a worker that has one.
   */
  readonly extract?: ExtractFacts | "verbatim" | undefined;
  /** Asks a model once; `request.model` is the spec's `extractWith`, if it had one. Needed unless `extract` is given. */
  readonly complete?: CompleteText | undefined;
  /** How many turns at most. Default 100. */
  readonly limit?: number | undefined;
  /** Once it is aborted, no further turn is begun. */
  readonly signal?: AbortSignal | undefined;
}

/** How many turns came to which end. */
export interface ProcessedExtractions {
  readonly done: number;
  /** They will be tried again. */
  readonly putOff: number;
  readonly givenUp: number;
}

/**
 * Extracts the facts of turns that wait in a store's queue: what a process left that crashed, and what failed before. For a
 * worker or a timer; a process that has turns does a few by itself. Resolves once none is ready any more, or `limit` is
 * reached. Rejects where the store can't be read; throws a `TypeError` for options that are wrong.
 */
export async function processExtractions(
  memory: UserMemoryStore,
  options: ProcessExtractionsOptions,
): Promise<ProcessedExtractions> {
  const given = boundOptions(processOptionsSchema, options);
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
  const counts = { done: 0, "put-off": 0, "given-up": 0 };
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
  return { done: counts.done, putOff: counts["put-off"], givenUp: counts["given-up"] };
}
