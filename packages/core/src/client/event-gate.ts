import type { Emit } from "../events/emitter.ts";
import type { TraceEvent } from "../events/trace-event.ts";

/** What may happen before a continuation was judged. Of what follows, something else is always told. */
const BEFORE_JUDGEMENT: ReadonlySet<TraceEvent["type"]> = new Set([
  "run_start",
  "memory_loaded",
  "memory_retry",
  "turn_start",
  "guardrail_tripped",
  "run_end",
]);

/** Keeps events until it is known that what a client sent isn't refused. */
export interface EventGate {
  readonly sink: Emit;
  /** It wasn't refused: tells what was kept. */
  readonly open: () => void;
}

export function createEventGate(sink: Emit): EventGate {
  let kept: TraceEvent[] | undefined = [];
  const open = () => {
    const events = kept ?? [];
    kept = undefined;
    events.forEach(sink);
  };
  return {
    sink: (event) => {
      if (kept !== undefined && !BEFORE_JUDGEMENT.has(event.type)) open();
      if (kept === undefined) sink(event);
      else kept.push(event);
    },
    open,
  };
}
