/** Wakes a loop that sleeps. */
export interface Alarm {
  /** Forgets earlier calls of `ring`. */
  readonly set: () => void;
  /** Ends the sleep. If the loop doesn't sleep, its next sleep ends at once. */
  readonly ring: () => void;
  /** Sleeps until `ring`, or for this many milliseconds. `undefined`: until `ring`. */
  readonly rung: (timeoutMs: number | undefined) => Promise<void>;
}

export function createAlarm(): Alarm {
  let hasRung = false;
  let wake = () => {};
  return {
    set: () => {
      hasRung = false;
    },
    ring: () => {
      hasRung = true;
      wake();
    },
    rung: (timeoutMs) =>
      new Promise((resolve) => {
        if (hasRung) return resolve();
        const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
