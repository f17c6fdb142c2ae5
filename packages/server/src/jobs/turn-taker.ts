import type { MemoryErrorUnion } from "@jaf/memory";
import type { TakenOverTurn, TurnWriter } from "@jaf/memory/adapter";
import { createFailure, createMemoryStorageError, withDeadline } from "@jaf/memory/internal";
import { ERASED, failedEnd, LOST } from "../turns/turn-ends.ts";
import { TurnStoreError } from "../turns/turn-errors.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import { type JobScope, turnKey } from "./job.ts";
import { keepLeaseDuring } from "./keep-lease.ts";
import { isTooOld, type LeftTurn } from "./left-turn.ts";
import { createRetryTimes } from "./retry-times.ts";
import { type Job, startJob } from "./start-job.ts";
import { prepareTakeOver, type Resumption, toEnd } from "./take-over.ts";

/** After how many attempts this process ends a turn with an error, if it can't load the turn and no outage is the cause. */
const MAX_ATTEMPTS = 8;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
const MAX_KNOWN = 1_000;
/** Minimum of the time limit for loading a turn that this process takes over, in ms. */
const MIN_PREPARING_MS = 60_000;

export interface TurnTakerOptions<Ctx> {
  readonly scope: JobScope<Ctx>;
  /** Called with each job that this process starts for a turn that it has taken over. */
  readonly onJob: (job: Job) => void;
  /** No job starts once it is aborted. */
  readonly signal: AbortSignal;
}

/**
 * What has become of a turn that this process tried to take over: the job that continues the turn, or why there is none.
 *
 * - `"held"`: this process can't have the turn's lease now.
 * - `"left"`: the turn is left to another process, or to a later try.
 */
export type Take = Job | "held" | "left";

/** Takes over single turns and starts the jobs that continue them. */
export interface TurnTaker {
  /** Tries to take over a turn. Rejects if the log fails. */
  readonly take: (turn: TurnIds) => Promise<Take>;
  /** Returns whether the take-over of this turn has failed or was left to others, and isn't due again. */
  readonly isPostponed: (turn: TurnIds) => boolean;
  /** Returns the number of running jobs. */
  readonly running: () => number;
}

export function createTurnTaker<Ctx>({ scope, onJob, signal }: TurnTakerOptions<Ctx>): TurnTaker {
  const { settings } = scope;
  const { log, onError } = settings;
  const leaseMs = settings.leaseSeconds * 1_000;
  const delays = { firstMs: FIRST_DELAY_MS, maxMs: MAX_DELAY_MS, most: MAX_KNOWN };
  /** Turns that can't be loaded. Only these end after too many attempts. */
  const failures = createRetryTimes(delays);
  /** Turns whose store failed in a way that can pass, e.g. because it can't be reached. */
  const outages = createRetryTimes(delays);
  /** Turns that a process of another release must continue. */
  const leftTurns = createRetryTimes(delays);
  let running = 0;

  /** Adds a time limit of one lease duration to a call of the log. */
  const answered = <T>(call: Promise<T>): Promise<T> => withDeadline(call, { timeoutMs: leaseMs });

  async function take(turn: TurnIds): Promise<Take> {
    const taken = await answered(log.takeOver(turn));
    if (!taken.success) throw new TurnStoreError(taken.error);
    if (taken.data === null) return "held";
    const { writer } = taken.data;
    try {
      const held = await keepLeaseDuring(prepareTakeOver(scope, taken.data), {
        ...{ log, writer, leaseMs, maxMs: Math.max(MIN_PREPARING_MS, leaseMs * 10), signal },
      });
      // No job may start once the service is closed.
      if (signal.aborted) {
        await log.release(writer);
        return "left";
      }
      if ("given" in held && held.given === "lost") return "held";
      const prepared = "done" in held ? held.done : createFailure(tooSlow());
      if (!prepared.success) return await failed(turn, taken.data, prepared.error);
      if ("leftBecause" in prepared.data) return await leave(turn, writer, prepared.data);
      failures.forget(turnKey(turn));
      return start(turn, prepared.data);
    } catch (thrown) {
      await log.release(writer);
      throw thrown;
    }
  }

  function start(turn: TurnIds, { request, taken }: Resumption): Job {
    const job = startJob({ scope, request, conversationId: turn.conversationId, turnId: turn.turnId }, taken);
    running += 1;
    void job.result.then(({ kind }) => {
      running -= 1;
      if (kind === "left") outages.postpone(turnKey(turn));
      else outages.forget(turnKey(turn));
    });
    onJob(job);
    return job;
  }

  /** Releases the lease of a turn that a process of another release must continue. Reports the turn once. */
  async function leave(turn: TurnIds, writer: TurnWriter, { leftBecause }: LeftTurn): Promise<"left"> {
    if (leftTurns.postpone(turnKey(turn)) === 1) onError(leftBecause);
    await log.release(writer);
    return "left";
  }

  /**
   * Releases the lease after a failed take-over, so that a take-over can be tried again later. Ends the turn with an error
   * after too many attempts, or if an outage lasts until the turn is too old.
   */
  async function failed(turn: TurnIds, taken: TakenOverTurn, error: MemoryErrorUnion): Promise<Take> {
    const key = turnKey(turn);
    onError(error);
    const isErased = error._tag === "MemoryNotFoundError";
    const attempts = (error.retryable ? outages : failures).postpone(key);
    // After an outage the turn continues. Before that, its end couldn't store the user's messages.
    const isOver = error.retryable ? isTooOld(taken.turn, settings) : attempts >= MAX_ATTEMPTS;
    if (!isErased && !isOver) {
      await log.release(taken.writer);
      return "left";
    }
    failures.forget(key);
    if (isErased) return start(turn, toEnd(taken, failedEnd(ERASED)));
    // If the turn has stored something after all, its version is another, and the messages aren't stored again.
    return start(turn, toEnd(taken, failedEnd(LOST), { hasProgress: false, version: undefined }));
  }

  return {
    take,
    isPostponed: (turn) => ![failures, outages, leftTurns].every(({ isDue }) => isDue(turnKey(turn))),
    running: () => running,
  };
}

const tooSlow = (): MemoryErrorUnion =>
  createMemoryStorageError("takeOver", "the turn wasn't read in time", { retryable: true });
