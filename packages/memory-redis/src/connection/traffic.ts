/** Pings wait for less long than calls. */
export type TrafficKind = "call" | "ping";

/** What is under way on one connection, and whether anything comes back. */
export interface Traffic {
  readonly track: <T>(kind: TrafficKind, send: () => Promise<T>) => Promise<T>;
  /** `"call"` where it is one at least. */
  readonly waitsFor: () => TrafficKind | "nothing";
  /** Milliseconds since the last reply, or, where none was due then, since the first call after it. */
  readonly silentMs: () => number;
  /** Resolves when no reply is due. */
  readonly settled: () => Promise<void>;
}

export function createTraffic(): Traffic {
  const waiting: Record<TrafficKind, number> = { call: 0, ping: 0 };
  let progressAtMs = performance.now();
  let onSettled: (() => void) | undefined;

  const isSettled = (): boolean => waiting.call + waiting.ping === 0;

  return {
    track: async (kind, send) => {
      if (isSettled()) progressAtMs = performance.now();
      waiting[kind] += 1;
      try {
        return await send();
      } finally {
        waiting[kind] -= 1;
        progressAtMs = performance.now();
        if (isSettled()) onSettled?.();
      }
    },
    waitsFor: () => {
      if (isSettled()) return "nothing";
      return waiting.call > 0 ? "call" : "ping";
    },
    silentMs: () => performance.now() - progressAtMs,
    settled: () =>
      new Promise((resolve) => {
        onSettled = resolve;
        if (isSettled()) resolve();
      }),
  };
}
