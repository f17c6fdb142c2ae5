import { expect } from "vitest";
import type {
  SubmitOptions,
  TurnPointer,
  TurnQueue,
  TurnWorker,
  TurnWorkerOptions,
} from "../../turn-queue/turn-queue.ts";
import { expectOk } from "../fixtures/expectations.ts";
import { sleep } from "../fixtures/timing.ts";
import { reportCalls } from "../kit/calls.ts";

/** A queue for one test. It is empty at first, and no other test uses it. */
export interface TestTurnQueue {
  readonly queue: TurnQueue;
  /**
   * Connects another queue to the same storage. It must share nothing with `queue` in this process (e.g. no connection).
   * Absent: the storage only exists in one process.
   */
  readonly connect?: () => Promise<TurnQueue>;
  /**
   * Returns all data in the storage as one text, in which the tests look for data that a queue must not store. Absent:
   * the tests don't look.
   */
  readonly contents?: () => Promise<string>;
  /** Closes the queues and removes the storage. Called after the test, even if the test has closed the queue. */
  readonly dispose: () => Promise<void>;
}

/** One call of a worker's `handle`. */
export interface Delivery {
  readonly pointer: TurnPointer;
  /** How many times this worker got the pointer, with this delivery. */
  readonly times: number;
  readonly signal: AbortSignal;
  /** Resolves when the rule calls `release`, or ends. */
  readonly held: Promise<void>;
}

/** A worker, and what it got. */
export interface WatchedWorker {
  readonly worker: TurnWorker;
  /** The deliveries, in their order. */
  readonly deliveries: readonly Delivery[];
  /** The turn ids of the deliveries, in their order. */
  readonly turnIds: () => readonly string[];
  /** How many calls of `handle` run at present. */
  readonly running: () => number;
  /** The largest number of calls of `handle` that ran at the same time. */
  readonly mostRunning: () => number;
  /** What `onError` received. */
  readonly errors: readonly unknown[];
  /** Resolves `held` of all deliveries, also of later ones. */
  readonly release: () => void;
}

interface WatchOptions {
  /** Default 1. */
  readonly concurrency?: number;
  /** Default: resolves at once. */
  readonly handle?: (delivery: Delivery) => Promise<void>;
}

/** What a rule about queues gets for its test. */
export interface TurnQueueScenario {
  readonly queue: TurnQueue;
  /** Another queue on the same storage. It is the same object as `queue` if the storage only exists in one process. */
  readonly other: TurnQueue;
  /** Returns all data in the storage as one text. */
  readonly contents?: (() => Promise<string>) | undefined;
  /** Begins to work on a queue. */
  readonly work: (queue: TurnQueue, options?: WatchOptions) => WatchedWorker;
  /** Waits until a condition holds. Rejects if that takes longer than a queue may take to deliver. */
  readonly until: (what: string, holds: () => boolean | Promise<boolean>) => Promise<void>;
}

/** Rules by title. A rule rejects if the queue breaks it. */
export type TurnQueueRules = Readonly<Record<string, (scenario: TurnQueueScenario) => Promise<void>>>;

export const pointerTo = (turnId: string, conversationId = "c"): TurnPointer => ({ conversationId, turnId });

/** Submits a pointer to each of these turns, one after the other. */
export async function submitEach(
  queue: TurnQueue,
  turnIds: readonly string[],
  options?: SubmitOptions,
): Promise<void> {
  for (const turnId of turnIds) expectOk(await queue.submit(pointerTo(turnId), options));
}

export const cancel = async (queue: TurnQueue, turnId: string): Promise<boolean> =>
  expectOk(await queue.cancel(pointerTo(turnId)));

/** Returns `count` turn ids that begin with `name`. */
export const turnsOf = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${name} ${at}`);

/**
 * Delivers everything that waits to a new worker, and returns the turn ids in the order of their deliveries. A pointer
 * of the lowest priority is submitted first, and marks the end.
 */
export async function deliverAll(
  { work, until }: TurnQueueScenario,
  queue: TurnQueue,
): Promise<readonly string[]> {
  const end = `end ${crypto.randomUUID()}`;
  await submitEach(queue, [end], { priority: -1_000 });
  const { turnIds, worker } = work(queue);
  await until("everything is delivered", () => turnIds().includes(end));
  await worker.close();
  return turnIds().filter((turnId) => turnId !== end);
}

function createGate() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release: () => release() };
}

function watch(queue: TurnQueue, { concurrency = 1, handle = async () => {} }: WatchOptions): WatchedWorker {
  const { held, release } = createGate();
  const deliveries: Delivery[] = [];
  const errors: unknown[] = [];
  let running = 0;
  let mostRunning = 0;
  const onDelivery: TurnWorkerOptions["handle"] = async (pointer, signal) => {
    const isSame = (earlier: Delivery) =>
      earlier.pointer.conversationId === pointer.conversationId && earlier.pointer.turnId === pointer.turnId;
    const delivery = { pointer, times: deliveries.filter(isSame).length + 1, signal, held };
    deliveries.push(delivery);
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    try {
      await handle(delivery);
    } finally {
      running -= 1;
    }
  };
  const worker = queue.work({ concurrency, handle: onDelivery, onError: (error) => errors.push(error) });
  return {
    worker,
    deliveries,
    errors,
    release,
    turnIds: () => deliveries.map(({ pointer }) => pointer.turnId),
    running: () => running,
    mostRunning: () => mostRunning,
  };
}

/** Checks a rule on a queue, and disposes of the queue. `patienceMs` limits each wait of the rule. */
export async function checkTurnQueueRule(
  { queue, connect, contents, dispose }: TestTurnQueue,
  rule: TurnQueueRules[string],
  patienceMs: number,
): Promise<void> {
  const watched: WatchedWorker[] = [];
  const work: TurnQueueScenario["work"] = (on, options = {}) => {
    const begun = watch(on, options);
    watched.push(begun);
    return begun;
  };
  const until: TurnQueueScenario["until"] = async (what, holds) => {
    const end = Date.now() + patienceMs;
    while (!(await holds())) {
      if (Date.now() > end) expect.fail(`waited ${patienceMs} ms until ${what}`);
      await sleep(10);
    }
  };
  try {
    const other = (await connect?.()) ?? queue;
    await reportCalls((recorded) =>
      rule({ queue: recorded(queue), other: recorded(other, "other."), contents, work, until }),
    );
  } finally {
    // A queue waits for running handlers as it closes.
    for (const { release } of watched) release();
    await dispose();
  }
}
