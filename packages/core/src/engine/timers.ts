import { MAX_TIMER_MS } from "./abort.ts";

/** A time that is running. */
export interface Timer {
  /** To be called once, at the latest when the time is up. */
  readonly stop: () => void;
}

/** The timers of a run. */
export interface Timers {
  readonly start: (milliseconds: number, action: () => void) => Timer;
  /** Has to be called at the end. Those that still run keep their time. */
  readonly close: () => void;
}

/** Platforms' timers go off up to a millisecond early. */
const TOLERANCE_MS = 1;

export const openTimers = (): Timers => new RunTimers();

/**
 * One timer of the platform for all, set to the earliest end. There is a time for each model call and each tool, and
 * nearly all are over long before that: so a time costs a look at the clock, and a timer is set about once a run.
 */
class RunTimers implements Timers {
  readonly #running = new Set<RunningTime>();
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  #isOpen = true;

  start(milliseconds: number, action: () => void): Timer {
    const time = new RunningTime(this, performance.now() + Math.min(milliseconds, MAX_TIMER_MS), action);
    this.#running.add(time);
    if (time.endsAt < this.#wakesAt) this.#wakeAt(time.endsAt);
    return time;
  }

  stopped(time: RunningTime): void {
    this.#running.delete(time);
    if (!this.#isOpen) this.#rest();
  }

  close(): void {
    this.#isOpen = false;
    this.#rest();
  }

  #rest(): void {
    if (this.#running.size === 0) clearTimeout(this.#timeout);
  }

  #wakeAt(time: number): void {
    clearTimeout(this.#timeout);
    this.#wakesAt = time;
    this.#timeout = setTimeout(() => this.#wake(), Math.ceil(time - performance.now()));
  }

  #wake(): void {
    const over = performance.now() + TOLERANCE_MS;
    this.#wakesAt = Number.POSITIVE_INFINITY;
    for (const time of [...this.#running]) {
      if (time.endsAt <= over && this.#running.delete(time)) time.action();
    }
    let next = Number.POSITIVE_INFINITY;
    for (const { endsAt } of this.#running) next = Math.min(next, endsAt);
    if (next < this.#wakesAt) this.#wakeAt(next);
  }
}

class RunningTime implements Timer {
  readonly #timers: RunTimers;
  readonly endsAt: number;
  readonly action: () => void;

  constructor(timers: RunTimers, endsAt: number, action: () => void) {
    this.#timers = timers;
    this.endsAt = endsAt;
    this.action = action;
  }

  stop(): void {
    this.#timers.stopped(this);
  }
}

/** For what is limited outside of a run. */
export const freshTimers: Pick<Timers, "start"> = {
  start: (milliseconds, action) => {
    const timeout = setTimeout(action, Math.min(milliseconds, MAX_TIMER_MS));
    return { stop: () => clearTimeout(timeout) };
  },
};
