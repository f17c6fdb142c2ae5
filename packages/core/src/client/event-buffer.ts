import type { Emit } from "../events/emitter.ts";
import type { TraceEvent } from "../events/trace-event.ts";

/** The events that may come before a continuation is validated. Any other event comes after that. */
const BEFORE_JUDGEMENT: ReadonlySet<TraceEvent["type"]> = new Set([
  "run_start",
  "memory_loaded",
  "memory_retry",
  "turn_start",
  "guardrail_tripped",
  "run_end",
]);

/** Buffers events until it is known that what a client sent isn't refused. */
export interface EventBuffer {
  readonly sink: Emit;
  /** Emits the buffered events. */
  readonly flush: () => void;
}

export function createEventBuffer(sink: Emit): EventBuffer {
  let buffered: TraceEvent[] | undefined = [];
  const flush = () => {
    const events = buffered ?? [];
    buffered = undefined;
    events.forEach(sink);
  };
  return {
    sink: (event) => {
      if (buffered !== undefined && !BEFORE_JUDGEMENT.has(event.type)) flush();
      if (buffered === undefined) sink(event);
      else buffered.push(event);
    },
    flush,
  };
}
