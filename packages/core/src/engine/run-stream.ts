import type { RunConfig } from "../config.ts";
import type { TraceEvent } from "../events/trace-event.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunResult } from "../run-result.ts";
import type { RunState } from "../state.ts";
import { streamEvents } from "./event-stream.ts";
import { execute } from "./run.ts";

/** The events of a run that is under way. They are buffered until they are read; each is read once. */
export interface RunStream<Out> extends AsyncIterable<TraceEvent> {
  /** How the run ended. Resolves whether or not the events are read. */
  readonly result: Promise<RunResult<Out>>;
}

/**
 * Like `run`, with the run's events as they happen. If the model provider can stream, the reply's text comes as `llm_delta`
 * events. Leaving the loop before its end (`break`, `return`, a throw) aborts the run, and so does the iterator's `return()`. As
 * with `run`, `Out` isn't checked.
 *
 * @example
 * const stream = runStream(state, config);
 * for await (const event of stream) {
 *   if (event.type === "llm_delta") process.stdout.write(event.data.text);
 * }
 * const { outcome } = await stream.result;
 */
export function runStream<Ctx, Out = unknown>(
  initialState: RunState<NoInfer<Ctx>>,
  config: RunConfig<Ctx>,
): RunStream<Out> {
  return streamEvents(config.signal, async ({ signal, sink }) => {
    const options = { streaming: true, sink };
    return (await execute<Ctx, Out>(initialState, overlay(config, { signal }), options)).result;
  });
}
