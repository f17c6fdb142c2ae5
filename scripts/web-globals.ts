/** What browsers and the runtimes at the edge have in common, beside the language, as far as we use it. */
const NAMES = [
  ...["AbortController", "AbortSignal", "Event", "EventTarget", "DOMException"],
  ...[
    "Blob",
    "Headers",
    "Request",
    "Response",
    "ReadableStream",
    "TransformStream",
    "WritableStream",
    "fetch",
  ],
  ...["TextDecoder", "TextEncoder", "TextDecoderStream", "URL", "URLSearchParams", "atob", "btoa", "crypto"],
  ...["console", "performance", "queueMicrotask", "structuredClone"],
] as const;

export interface Web {
  readonly globals: Readonly<Record<string, unknown>>;
  /** Clears the timers that are left. */
  readonly close: () => void;
}

/** Timers of the web are numbers, with none of the methods that Node's have. */
export function openWeb(): Web {
  const timers = new Map<number, NodeJS.Timeout>();
  const keep = (timer: NodeJS.Timeout): number => {
    const id = Number(timer);
    timers.set(id, timer);
    return id;
  };
  const clear = (id: number | undefined): void => {
    if (id !== undefined) clearTimeout(timers.get(id));
  };
  return {
    globals: {
      ...Object.fromEntries(NAMES.map((name) => [name, Reflect.get(globalThis, name)])),
      setTimeout: (action: () => void, milliseconds?: number) => keep(setTimeout(action, milliseconds)),
      setInterval: (action: () => void, milliseconds?: number) => keep(setInterval(action, milliseconds)),
      clearTimeout: clear,
      clearInterval: clear,
    },
    close: () => {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
