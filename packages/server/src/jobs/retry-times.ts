interface RetryTimesOptions {
  /** The delay after the first failure, in ms. Each further failure doubles it. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** How many keys are remembered. Beyond that, all are forgotten, so some are due early. */
  readonly most: number;
}

/** Remembers when to try again what has failed, in this process. */
export interface RetryTimes {
  /** Counts a failure. Returns how often the key has failed. */
  readonly postpone: (key: string) => number;
  readonly isDue: (key: string) => boolean;
  readonly forget: (key: string) => void;
  /** Forgets all other keys. */
  readonly keepOnly: (keys: ReadonlySet<string>) => void;
}

export function createRetryTimes({ firstMs, maxMs, most }: RetryTimesOptions): RetryTimes {
  const known = new Map<string, { readonly attempts: number; readonly notBefore: number }>();
  return {
    postpone: (key) => {
      const attempts = (known.get(key)?.attempts ?? 0) + 1;
      if (known.size >= most) known.clear();
      known.set(key, {
        attempts,
        notBefore: performance.now() + Math.min(maxMs, firstMs * 2 ** (attempts - 1)),
      });
      return attempts;
    },
    isDue: (key) => (known.get(key)?.notBefore ?? 0) <= performance.now(),
    forget: (key) => void known.delete(key),
    keepOnly: (keys) => {
      for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    },
  };
}
