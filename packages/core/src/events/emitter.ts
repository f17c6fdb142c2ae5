import { callObserver } from "./report.ts";
import type { TraceEvent } from "./trace-event.ts";

export type Emit = (event: TraceEvent) => void;

export interface Emitter {
  /** Absent when nobody listens. */
  readonly emit: Emit | undefined;
  /** No event leaves after this. */
  readonly close: () => void;
}

/** Whoever has an observer: it is called on this object, which may be an instance of a class. */
export interface Observed {
  readonly onEvent?: Emit | undefined;
}

/** Tells the sink, then the observer. Both get the same event, which is frozen: neither can change what the other sees. */
export function openEmitter(observed: Observed, sink: Emit | undefined): Emitter {
  const isObserved = observed.onEvent !== undefined;
  if (!isObserved && sink === undefined) return { emit: undefined, close: () => undefined };
  let open = true;
  return {
    emit: (event) => {
      if (!open) return;
      Object.freeze(event.data);
      Object.freeze(event);
      sink?.(event);
      if (isObserved) {
        callObserver(
          () => observed.onEvent?.(event),
          () => `RunConfig.onEvent failed on "${event.type}"; the run goes on.`,
        );
      }
    },
    close: () => {
      open = false;
    },
  };
}
