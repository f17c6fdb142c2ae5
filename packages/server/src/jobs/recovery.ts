import type { MemoryErrorUnion, TurnLog } from "@jaf/memory";
import type { TakenOverTurn, TurnWriter } from "@jaf/memory/adapter";
import { createFailure, createMemoryStorageError, onAbort, withDeadline } from "@jaf/memory/internal";
import { pause } from "../pause.ts";
import { TurnStoreError } from "../turns/turn-errors.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import { ERASED, failedEnd, LOST } from "./end-turn.ts";
import type { JobScope } from "./job.ts";
import type { LeftTurn } from "./left-turn.ts";
import { type Job, startJob } from "./start-job.ts";
import { decodeRequest } from "./stored-request.ts";
import { openingOf, prepareTakeOver, type Resumption } from "./take-over.ts";

/** Maximum number of turns that this process takes over and continues at the same time. */
const MAX_AT_ONCE = 16;
/** How often this process tries to take over the same turn before it ends the turn with an error. */
const MAX_ATTEMPTS = 8;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
const MAX_KNOWN = 1_000;
/** Minimum of the time limit for loading a turn that this process takes over, in ms. */
const MIN_PREPARING_MS = 60_000;

export interface RecoveryOptions<Ctx> {
  readonly scope: JobScope<Ctx>;
  /** Called with each job that this process starts for a turn that it has taken over. */
  readonly onJob: (job: Job) => void;
}

/** Takes over turns whose process is gone. */
export interface Recovery {
  /** Takes over a turn as soon as its lease expires. */
  readonly adopt: (turn: TurnIds) => void;
  /** Stops and ends, in the background, a turn that may be in the log without a process that runs it. */
  readonly abandon: (turn: TurnIds) => void;
  /** Ends the search for abandoned turns. Resolves once no take-over is in progress. */
  readonly close: () => Promise<void>;
}

interface Failures {
  readonly attempts: number;
  readonly notBefore: number;
}

export function startRecovery<Ctx>({ scope, onJob }: RecoveryOptions<Ctx>): Recovery {
  const { settings } = scope;
  const { log, recoverMs, onError } = settings;
  const leaseMs = settings.leaseSeconds * 1_000;
  const over = new AbortController();
  const failures = new Map<string, Failures>();
  const underWay = new Map<string, Promise<void>>();
  let running = 0;

  /** Adds a time limit of one lease duration to a call of the log. */
  const answered = <T>(call: Promise<T>): Promise<T> => withDeadline(call, { timeoutMs: leaseMs });

  /** Tries to take over one turn. Resolves with `false` if this process can't have the turn's lease now. */
  async function takeOver(turn: TurnIds): Promise<boolean> {
    const key = keyOf(turn);
    const taken = await answered(log.takeOver(turn));
    if (!taken.success) throw new TurnStoreError(taken.error);
    if (taken.data === null) return false;
    const { writer } = taken.data;
    try {
      const held = await keepLeaseDuring(prepareTakeOver(scope, taken.data), {
        ...{ log, writer, leaseMs, maxMs: Math.max(MIN_PREPARING_MS, leaseMs * 10), signal: over.signal },
      });
      // No job may start once the service is closed.
      if (over.signal.aborted) {
        await log.release(writer);
        return true;
      }
      if ("given" in held && held.given === "lost") return false;
      const prepared = "done" in held ? held.done : createFailure(tooSlow());
      if (!prepared.success) await failed(turn, taken.data, prepared.error);
      else if ("leftBecause" in prepared.data) await leave(turn, writer, prepared.data);
      else {
        failures.delete(key);
        start(turn, prepared.data);
      }
    } catch (thrown) {
      await log.release(writer);
      throw thrown;
    }
    return true;
  }

  function start({ conversationId, turnId }: TurnIds, { request, taken }: Resumption): void {
    const job = startJob({ scope, request, conversationId, turnId }, taken);
    running += 1;
    void job.result.then(() => {
      running -= 1;
    });
    onJob(job);
  }

  /** Returns how often the take-over of this turn has failed or was left to others, and sets when it is due again. */
  function postpone(key: string): number {
    const attempts = (failures.get(key)?.attempts ?? 0) + 1;
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
    if (failures.size >= MAX_KNOWN) failures.clear();
    failures.set(key, { attempts, notBefore: performance.now() + delayMs });
    return attempts;
  }

  /** Releases the lease of a turn that a process of another release must continue. Reports the turn once. */
  async function leave(turn: TurnIds, writer: TurnWriter, { leftBecause }: LeftTurn): Promise<void> {
    if (postpone(keyOf(turn)) === 1) onError(leftBecause);
    await log.release(writer);
  }

  /**
   * Releases the lease after a failed take-over, so that a take-over can be tried again later. After too many attempts,
   * ends the turn with an error.
   */
  async function failed(
    turn: TurnIds,
    { writer, turn: logged, request: text }: TakenOverTurn,
    error: MemoryErrorUnion,
  ): Promise<void> {
    const key = keyOf(turn);
    onError(error);
    if (postpone(key) < MAX_ATTEMPTS && error._tag !== "MemoryNotFoundError") {
      await log.release(writer);
      return;
    }
    failures.delete(key);
    const { userId, events, startedAt } = logged;
    const stored = decodeRequest(text);
    start(turn, {
      request: { identity: { userId }, agentName: "", input: [] },
      taken: {
        ...{ writer, first: events, startedAt, sentEvents: [], hasProgress: true, version: undefined },
        missing: events > 0 ? [] : [openingOf(logged, stored === "newer" ? undefined : stored)],
        base: { position: 0, version: 0, incarnation: "" },
        ending: failedEnd(error._tag === "MemoryNotFoundError" ? ERASED : LOST),
      },
    });
  }

  function begin(turn: TurnIds, task: () => Promise<void>): void {
    const key = keyOf(turn);
    if (underWay.has(key)) return;
    const done = task()
      .catch(onError)
      .finally(() => {
        underWay.delete(key);
      });
    underWay.set(key, done);
  }

  async function look(): Promise<void> {
    const free = MAX_AT_ONCE - underWay.size - running;
    if (free <= 0 || scope.isDraining()) return;
    // More than there is room for, since some wait after a failed attempt.
    const found = await answered(log.abandoned(MAX_AT_ONCE * 4));
    if (!found.success) {
      onError(found.error);
      return;
    }
    const now = performance.now();
    const due = found.data.filter((turn) => (failures.get(keyOf(turn))?.notBefore ?? 0) <= now);
    for (const turn of due.slice(0, free)) {
      begin(turn, async () => {
        if (!over.signal.aborted) await takeOver(turn);
      });
    }
  }

  async function loop(everyMs: number): Promise<void> {
    while (!over.signal.aborted) {
      await look().catch(onError);
      // Random intervals: processes that started together don't search at the same time.
      await pause(everyMs * (0.5 + Math.random()), over.signal);
    }
  }

  /**
   * Tries repeatedly to take over a turn, for two lease durations and 5 seconds. `isUnwanted`: first requests the
   * turn's stop in the log.
   */
  async function untilTaken(turn: TurnIds, isUnwanted = false): Promise<void> {
    const untilMs = performance.now() + settings.leaseSeconds * 2_000 + 5_000;
    let isStopped = !isUnwanted;
    while (!over.signal.aborted && performance.now() < untilMs) {
      if (!isStopped) {
        const asked = await log.requestStop(turn).catch(() => undefined);
        isStopped = asked?.success === true && asked.data;
      }
      if (isStopped && (await takeOver(turn).catch(() => false))) return;
      await pause(Math.min(1_000, settings.leaseSeconds * 250), over.signal);
    }
  }

  const looping = recoverMs === false ? Promise.resolve() : loop(recoverMs);
  return {
    adopt: (turn) => begin(turn, () => untilTaken(turn)),
    abandon: (turn) => begin(turn, () => untilTaken(turn, true)),
    close: async () => {
      over.abort();
      await looping;
      await Promise.all(underWay.values());
    },
  };
}

interface HoldOptions {
  readonly log: Pick<TurnLog, "renew">;
  readonly writer: TurnWriter;
  readonly leaseMs: number;
  /** Maximum time for which the lease is renewed, in ms. */
  readonly maxMs: number;
  /** Ends the renewals of the lease when aborted. */
  readonly signal: AbortSignal;
}

/**
 * The task's result (`done`), or why the lease was given up before the task ended (`given`):
 *
 * - `"lost"`: another process has the lease, or the log didn't answer until the lease expired.
 * - `"late"`: the time `maxMs` is over.
 * - `"over"`: `signal` was aborted.
 */
type KeptLease<T> = { readonly done: T } | { readonly given: "lost" | "late" | "over" };

/** Renews a turn's lease while a task runs. Resolves early, without cancelling the task, if the lease is given up. */
async function keepLeaseDuring<T>(task: Promise<T>, options: HoldOptions): Promise<KeptLease<T>> {
  const { log, writer, leaseMs, maxMs, signal } = options;
  const over = new AbortController();
  const stopListening = onAbort(signal, () => over.abort());
  const everyMs = leaseMs / 3;
  const endsAt = performance.now() + maxMs;

  async function hold(): Promise<"lost" | "late" | "over"> {
    let heldAt = performance.now();
    for (;;) {
      await pause(Math.max(0, Math.min(everyMs, endsAt - performance.now())), over.signal);
      if (over.signal.aborted) return "over";
      const began = performance.now();
      if (began >= endsAt) return "late";
      const answer = await withDeadline(log.renew(writer), { timeoutMs: everyMs }).catch(() => undefined);
      if (answer?.success === true) {
        if (!answer.data.held) return "lost";
        heldAt = began;
      } else if (performance.now() - heldAt >= leaseMs) return "lost";
    }
  }

  try {
    return await Promise.race([
      task.then((done) => ({ done })),
      hold().then((given): KeptLease<T> => ({ given })),
    ]);
  } finally {
    over.abort();
    stopListening();
  }
}

const keyOf = ({ conversationId, turnId }: TurnIds): string => JSON.stringify([conversationId, turnId]);

const tooSlow = (): MemoryErrorUnion =>
  createMemoryStorageError("takeOver", "the turn wasn't read in time", { retryable: true });
