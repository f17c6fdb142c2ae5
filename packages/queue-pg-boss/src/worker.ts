import type { TurnWorker, TurnWorkerOptions } from "@jaf/memory/adapter";
import { createAlarm } from "./alarm.ts";
import type { Job, Jobs } from "./jobs.ts";

/** How long a worker with free places waits until it asks for jobs again, in milliseconds. */
const POLLING_MS = 500;

/** How long a worker waits after a failure, in milliseconds. */
const FAILURE_PAUSE_MS = 1_000;

/** A quarter of the time after which a job expires. */
const RENEWAL_MS = 15_000;

/** A worker that can be told of a job. */
export interface WakeableWorker extends TurnWorker {
  /** Lets the worker ask for jobs at once. */
  readonly wake: () => void;
}

interface Held {
  readonly job: Job;
  readonly lost: AbortController;
}

/** Begins to work on jobs. `onError` must not throw. */
export function startWorker(jobs: Jobs, { handle, concurrency, onError }: TurnWorkerOptions): WakeableWorker {
  const held = new Set<Held>();
  const running = new Set<Promise<void>>();
  const alarm = createAlarm();
  let closing: Promise<void> | undefined;

  async function attempt(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (thrown) {
      onError(thrown); // The job expires, and is delivered again.
    }
  }

  async function run(job: Job): Promise<void> {
    const place: Held = { job, lost: new AbortController() };
    held.add(place);
    const ended = await Promise.resolve()
      .then(() => handle(job.pointer, place.lost.signal))
      .then(
        () => true,
        () => false,
      );
    await attempt(() => (ended ? jobs.remove(job) : jobs.retry(job)));
    held.delete(place);
  }

  function start(job: Job): void {
    const promise = run(job).finally(() => {
      running.delete(promise);
      alarm.ring(); // A place is free.
    });
    running.add(promise);
  }

  async function fetch(): Promise<void> {
    const fetched = await jobs.fetch(concurrency - running.size);
    if (closing === undefined) for (const job of fetched) start(job);
    else await Promise.all(fetched.map((job) => attempt(() => jobs.giveBack(job))));
  }

  async function poll(): Promise<void> {
    while (closing === undefined) {
      alarm.set();
      let pauseMs: number | undefined;
      try {
        if (running.size < concurrency) await fetch();
        if (running.size < concurrency) pauseMs = POLLING_MS;
      } catch (thrown) {
        onError(thrown);
        pauseMs = FAILURE_PAUSE_MS;
      }
      await alarm.rung(pauseMs);
    }
  }

  async function renew(): Promise<void> {
    const places = [...held];
    if (places.length === 0) return;
    const lost = new Set(await jobs.renew(places.map(({ job }) => job)));
    for (const place of places) if (lost.has(place.job)) place.lost.abort();
  }

  const renewal = setInterval(() => void attempt(renew), RENEWAL_MS);
  const polling = poll();

  async function stop(): Promise<void> {
    alarm.ring();
    await polling;
    await Promise.all(running);
    clearInterval(renewal);
  }

  return {
    wake: () => alarm.ring(),
    close: () => {
      // Assigned before `stop` runs, because the loop reads it.
      closing ??= Promise.resolve().then(stop);
      return closing;
    },
  };
}
