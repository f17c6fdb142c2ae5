import { callObserver } from "./report.ts";
import type { TraceEvent } from "./trace-event.ts";

export type Emit = (event: TraceEvent) => void;

export interface Emitter {
  /** Absent when nobody listens. */
  readonly emit: Emit | undefined;
  /** No event leaves after this. */
  readonly close: () => void;
}

/** Tells the sink, then the observer. Both get the same event, which is frozen: neither can change what the other sees. */
export function openEmitter(observer: Emit | undefined, sink: Emit | undefined): Emitter {
  if (observer === undefined && sink === undefined) return { emit: undefined, close: () => undefined };
  let open = true;
  return {
    emit: (event) => {
      if (!open) return;
      Object.freeze(event.data);
      Object.freeze(event);
      sink?.(event);
      if (observer !== undefined) {
        callObserver(
          () => observer(event),
          () => `RunConfig.onEvent failed on "${event.type}"; the run goes on.`,
        );
      }
    },
    close: () => {
      open = false;
    },
  };
}
