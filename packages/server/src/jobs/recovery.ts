import type { LoggedTurn } from "@jaf/memory/adapter";
import { withDeadline } from "@jaf/memory/internal";
import { pause } from "../pause.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import { type JobScope, turnKey } from "./job.ts";
import { createRetryTimes } from "./retry-times.ts";
import type { TurnTaker } from "./turn-taker.ts";

/** Maximum number of turns that this process takes over and continues at the same time. */
const MAX_AT_ONCE = 16;
/** How many abandoned turns a search with a queue looks at. Those that the queue holds are among them. */
const SEARCHED = 1_000;
const MOST_SEARCHED = 16_000;
/** A pointer that the queue may have lost is submitted again after this time, then after twice this time, and so on. */
const FIRST_DELAY_MS = 10_000;
const MAX_DELAY_MS = 120_000;

export interface RecoveryOptions<Ctx> {
  readonly scope: JobScope<Ctx>;
  readonly taker: TurnTaker;
  /**
   * Hands an abandoned turn to the workers of a queue, and resolves with whether the queue has it. Absent: this process takes
   * the turn over.
   */
  readonly submit: ((turn: LoggedTurn) => Promise<boolean>) | undefined;
  /** Aborted when the service closes. */
  readonly signal: AbortSignal;
}

/** Finds turns whose process is gone. */
export interface Recovery {
  /** Has a turn continued as soon as its lease expires. */
  readonly adopt: (turn: TurnIds) => void;
  /** Stops and ends, in the background, a turn that may be in the log without a process that runs it. */
  readonly abandon: (turn: TurnIds) => void;
  /** Resolves once no take-over is in progress. Call it after `signal` was aborted. */
  readonly settled: () => Promise<void>;
}

export function startRecovery<Ctx>({ scope, taker, submit, signal }: RecoveryOptions<Ctx>): Recovery {
  const { settings } = scope;
  const { log, recoverMs, keepSeconds, onError } = settings;
  const leaseMs = settings.leaseSeconds * 1_000;
  const underWay = new Map<string, Promise<void>>();
  const submitted = createRetryTimes({
    firstMs: FIRST_DELAY_MS,
    maxMs: MAX_DELAY_MS,
    most: 2 * MOST_SEARCHED,
  });
  let searched = SEARCHED;

  function begin(turn: TurnIds, task: () => Promise<void>): void {
    const key = turnKey(turn);
    if (underWay.has(key)) return;
    const done = task()
      .catch(onError)
      .finally(() => {
        underWay.delete(key);
      });
    underWay.set(key, done);
  }

  async function abandoned(limit: number): Promise<readonly LoggedTurn[]> {
    const found = await withDeadline(log.abandoned(limit), { timeoutMs: leaseMs });
    if (found.success) return found.data;
    onError(found.error);
    return [];
  }

  async function takeAbandoned(): Promise<void> {
    const free = MAX_AT_ONCE - underWay.size - taker.running();
    if (free <= 0) return;
    // More than there is room for, since some wait after a failed attempt.
    const found = await abandoned(MAX_AT_ONCE * 4);
    for (const turn of found.filter((one) => !taker.isPostponed(one)).slice(0, free)) {
      begin(turn, async () => {
        if (!signal.aborted) await taker.take(turn);
      });
    }
  }

  /** Submits abandoned turns: those that the queue may have lost, and those that it holds. It ignores the latter. */
  async function submitAbandoned(submitTurn: (turn: LoggedTurn) => Promise<boolean>): Promise<void> {
    const found = await abandoned(searched);
    // A turn that a worker has begun and lost again is due at once.
    if (found.length < searched) submitted.keepOnly(new Set(found.map(turnKey)));
    const due = found.filter((turn) => submitted.isDue(turnKey(turn)));
    // Many turns that wait in the queue can hide one that it has lost.
    const mayHide = found.length === searched && due.length === 0;
    searched = mayHide ? Math.min(MOST_SEARCHED, 4 * searched) : SEARCHED;
    for (const turn of due) {
      if (signal.aborted) return;
      if (Date.now() - turn.startedAt.getTime() > keepSeconds * 500) await keep(turn);
      // The others would fail, too. The next search tries again.
      if (!(await submitTurn(turn))) return;
      submitted.postpone(turnKey(turn));
    }
  }

  /** Has the log keep a turn for another `keepSeconds`, although it has waited long for a worker. */
  async function keep(turn: TurnIds): Promise<void> {
    const taken = await log.takeOver(turn);
    if (taken.success && taken.data !== null) await log.release(taken.data.writer);
  }

  async function loop(everyMs: number): Promise<void> {
    while (!signal.aborted) {
      const search = submit === undefined ? takeAbandoned() : submitAbandoned(submit);
      await search.catch(onError);
      // Random intervals: processes that started together don't search at the same time.
      await pause(everyMs * (0.5 + Math.random()), signal);
    }
  }

  /**
   * Tries repeatedly to take over a turn, for two lease durations and 5 seconds. `isUnwanted`: first requests the
   * turn's stop in the log.
   */
  async function untilTaken(turn: TurnIds, isUnwanted = false): Promise<void> {
    const untilMs = performance.now() + settings.leaseSeconds * 2_000 + 5_000;
    let isStopped = !isUnwanted;
    while (!signal.aborted && performance.now() < untilMs) {
      if (!isStopped) {
        const asked = await log.requestStop(turn).catch(() => undefined);
        isStopped = asked?.success === true && asked.data;
      }
      if (isStopped && (await taker.take(turn).catch(() => "held")) !== "held") return;
      await pause(Math.min(1_000, settings.leaseSeconds * 250), signal);
    }
  }

  const looping = recoverMs === false ? Promise.resolve() : loop(recoverMs);
  return {
    adopt: (turn) => {
      // With a queue, the search finds the turn.
      if (submit === undefined) begin(turn, () => untilTaken(turn));
    },
    abandon: (turn) => begin(turn, () => untilTaken(turn, true)),
    settled: async () => {
      await looping;
      await Promise.all(underWay.values());
    },
  };
}
