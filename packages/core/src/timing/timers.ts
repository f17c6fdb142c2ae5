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
  /** Each knows its place. */
  readonly #running: RunningTime[] = [];
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  #isOpen = true;

  start(milliseconds: number, action: () => void): Timer {
    const endsAt = performance.now() + Math.min(milliseconds, MAX_TIMER_MS);
    const time = new RunningTime(this, { endsAt, action, index: this.#running.length });
    this.#running.push(time);
    if (time.endsAt < this.#wakesAt) this.#wakeAt(time.endsAt);
    return time;
  }

  /** Whether it ran until now. The last takes its place. */
  stopped(time: RunningTime): boolean {
    if (this.#running[time.index] !== time) return false;
    const last = this.#running.pop();
    if (last !== undefined && last !== time) {
      this.#running[time.index] = last;
      last.index = time.index;
    }
    if (!this.#isOpen) this.#rest();
    return true;
  }

  close(): void {
    this.#isOpen = false;
    this.#rest();
  }

  #rest(): void {
    if (this.#running.length === 0) clearTimeout(this.#timeout);
  }

  #wakeAt(time: number): void {
    clearTimeout(this.#timeout);
    this.#wakesAt = time;
    // Rounded up, the longest would be one too long, which platforms take for none at all.
    const delayMs = Math.min(Math.ceil(time - performance.now()), MAX_TIMER_MS);
    this.#timeout = setTimeout(() => this.#wake(), delayMs);
  }

  #wake(): void {
    const over = performance.now() + TOLERANCE_MS;
    this.#wakesAt = Number.POSITIVE_INFINITY;
    for (const time of [...this.#running]) {
      if (time.endsAt <= over && this.stopped(time)) time.action();
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
  index: number;

  constructor(
    timers: RunTimers,
    { endsAt, action, index }: Pick<RunningTime, "endsAt" | "action" | "index">,
  ) {
    this.#timers = timers;
    this.endsAt = endsAt;
    this.action = action;
    this.index = index;
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
