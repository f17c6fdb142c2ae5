import type { RunId } from "@jaf/memory";
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

interface EmitterOptions {
  readonly runId: RunId;
  readonly conversationId: string | undefined;
  readonly sink: Emit | undefined;
}

/**
 * Tells the sink, then the observer. Both get the same event, which says of which run it is, and is frozen: neither can
 * change what the other sees.
 */
export function openEmitter(observed: Observed, { runId, conversationId, sink }: EmitterOptions): Emitter {
  const isObserved = observed.onEvent !== undefined;
  if (!isObserved && sink === undefined) return { emit: undefined, close: () => undefined };
  let open = true;
  let sequence = 0;
  // Written out, as copies by spread take several times as long; that a type has its data is lost on the way.
  const stamped = ({ type, data }: TraceEvent): TraceEvent => {
    const time = Date.now();
    const event =
      conversationId === undefined
        ? { type, data, runId, sequence, time }
        : { type, data, runId, conversationId, sequence, time };
    sequence += 1;
    return Object.freeze(event) as TraceEvent;
  };
  return {
    emit: (told) => {
      if (!open) return;
      Object.freeze(told.data);
      const event = stamped(told);
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
