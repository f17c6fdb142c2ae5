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

/** An object with an observer. The observer is called on the object, which may be an instance of a class. */
export interface Observed {
  readonly onEvent?: Emit | undefined;
}

interface EmitterOptions {
  readonly runId: RunId;
  readonly conversationId: string | undefined;
  readonly sink: Emit | undefined;
}

/**
 * Sends events to the sink, then to the observer. Both get the same frozen event with the run's id, so neither can change what
 * the other sees.
 */
export function openEmitter(observed: Observed, { runId, conversationId, sink }: EmitterOptions): Emitter {
  const isObserved = observed.onEvent !== undefined;
  if (!isObserved && sink === undefined) return { emit: undefined, close: () => undefined };
  let open = true;
  let sequence = 0;
  const origin = conversationId === undefined ? { runId } : { runId, conversationId };
  return {
    emit: (given) => {
      if (!open) return;
      Object.freeze(given.data);
      const event = Object.freeze({ ...given, ...origin, sequence, time: Date.now() });
      sequence += 1;
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
