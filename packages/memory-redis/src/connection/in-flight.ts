/** Pings wait for less long than calls. */
export type CallKind = "call" | "ping";

/** The calls in flight on one connection, and whether replies come back. */
export interface InFlight {
  readonly track: <T>(kind: CallKind, send: () => Promise<T>) => Promise<T>;
  /** `"call"` where at least one is in flight. */
  readonly waitsFor: () => CallKind | "nothing";
  /** Milliseconds since the last reply, or, where none was due then, since the first call after it. */
  readonly silentMs: () => number;
  /** Resolves when nothing is in flight. */
  readonly idle: () => Promise<void>;
}

export function createInFlight(): InFlight {
  const waiting: Record<CallKind, number> = { call: 0, ping: 0 };
  let progressAtMs = performance.now();
  let onIdle: (() => void) | undefined;

  const isIdle = (): boolean => waiting.call + waiting.ping === 0;

  return {
    track: async (kind, send) => {
      if (isIdle()) progressAtMs = performance.now();
      waiting[kind] += 1;
      try {
        return await send();
      } finally {
        waiting[kind] -= 1;
        progressAtMs = performance.now();
        if (isIdle()) onIdle?.();
      }
    },
    waitsFor: () => {
      if (isIdle()) return "nothing";
      return waiting.call > 0 ? "call" : "ping";
    },
    silentMs: () => performance.now() - progressAtMs,
    idle: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        if (isIdle()) resolve();
      }),
  };
}
