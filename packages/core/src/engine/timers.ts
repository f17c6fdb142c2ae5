import { restart } from "@jaf/memory/engine";
import { MAX_TIMER_MS } from "./abort.ts";

/** A time that is running. */
export interface Timer {
  /** To be called once, at the latest when the time is up. */
  readonly stop: () => void;
}

/** The timers of a run. */
export interface Timers {
  readonly start: (milliseconds: number, action: () => void) => Timer;
  /** Has to be called at the end. */
  readonly close: () => void;
}

interface ReusableTimer extends Timer {
  readonly start: (action: () => void) => void;
  readonly clear: () => void;
}

/**
 * One that has been stopped goes on, with nothing to do, until it is started anew for as long a time: that costs a tenth of
 * making another and taking it away, and there is one for each model call and each tool.
 */
export function openTimers(): Timers {
  const idle = new Map<number, ReusableTimer[]>();
  let isOpen = true;
  const putBack = (milliseconds: number, timer: ReusableTimer) => {
    const others = idle.get(milliseconds);
    if (!isOpen) timer.clear();
    else if (others === undefined) idle.set(milliseconds, [timer]);
    else others.push(timer);
  };
  return {
    start: (milliseconds, action) => {
      const timer = idle.get(milliseconds)?.pop();
      if (timer === undefined) return startTimer(milliseconds, action, putBack);
      timer.start(action);
      return timer;
    },
    close: () => {
      isOpen = false;
      for (const timers of idle.values()) for (const timer of timers) timer.clear();
      idle.clear();
    },
  };
}

function startTimer(
  milliseconds: number,
  first: () => void,
  putBack: (milliseconds: number, timer: ReusableTimer) => void,
): Timer {
  let action: (() => void) | undefined = first;
  const act = () => action?.();
  const delayMs = Math.min(milliseconds, MAX_TIMER_MS);
  let timeout = setTimeout(act, delayMs);
  const timer: ReusableTimer = {
    start: (next) => {
      action = next;
      timeout = restart(timeout, act, delayMs);
    },
    stop: () => {
      action = undefined;
      putBack(milliseconds, timer);
    },
    clear: () => clearTimeout(timeout),
  };
  return timer;
}

/** For what is limited outside of a run. */
export const freshTimers: Pick<Timers, "start"> = {
  start: (milliseconds, action) => {
    const timeout = setTimeout(action, Math.min(milliseconds, MAX_TIMER_MS));
    return { stop: () => clearTimeout(timeout) };
  },
};
