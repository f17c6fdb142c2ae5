import { onAbort } from "@jaf/memory/engine";
import { createChannel } from "../events/channel.ts";
import type { Emit } from "../events/emitter.ts";
import type { TraceEvent } from "../events/trace-event.ts";

/** The events of work that is under way. They are buffered until they are read; each is read once. */
export interface EventStream<Result> extends AsyncIterable<TraceEvent> {
  /** Resolves whether or not the events are read. */
  readonly result: Promise<Result>;
}

/**
 * Starts work and streams its events. If it rejects, the loop over the events throws and `result` rejects. Leaving the loop
 * before its end aborts the work, and so does `outer`.
 */
export function streamEvents<Result>(
  outer: AbortSignal | undefined,
  start: (options: { readonly signal: AbortSignal; readonly sink: Emit }) => Promise<Result>,
): EventStream<Result> {
  const channel = createChannel<TraceEvent>();
  const controller = new AbortController();
  const unsubscribe = outer && onAbort(outer, () => controller.abort(outer.reason));

  const result = start({ signal: controller.signal, sink: channel.push }).finally(unsubscribe);
  // Also marks a rejection as seen: whoever only reads the events gets it there.
  result.then(channel.end, channel.fail);

  const leave = async () => {
    controller.abort(new Error("the loop over the stream was left"));
    // A reader who has left doesn't ask how it ended.
    await result.catch(() => undefined);
  };
  const events = channel.read(leave);
  return { result, [Symbol.asyncIterator]: () => events };
}
