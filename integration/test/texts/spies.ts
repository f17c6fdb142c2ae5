import { format } from "node:util";

/** A console whose lines can be read. */
export function spyConsole() {
  const lines: string[] = [];
  const write = (...values: readonly unknown[]): void => void lines.push(format(...values));
  return {
    log: write,
    warn: write,
    error: write,
    lines: (): readonly string[] => lines,
    clear: () => void lines.splice(0),
  };
}

/** Timers that wait for nothing: a timeout is over at once, an interval by `tick`. */
export function spyTimers() {
  const delays: number[] = [];
  const intervals: (() => unknown)[] = [];
  return {
    delays,
    setTimeout: (callback: () => void, delay: number) => {
      delays.push(delay);
      queueMicrotask(callback);
    },
    setInterval: (callback: () => unknown, delay: number) => {
      delays.push(delay);
      intervals.push(callback);
    },
    tick: async () => {
      for (const callback of intervals) await callback();
    },
  };
}
