import { onAbort } from "@jaf/memory/internal";
import type { Emit, TraceEvent } from "../events.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunConfig } from "../run-config.ts";
import type { RunResult, RunState } from "../state.ts";
import { execute } from "./run.ts";

/** The events of a run that is executing. Events are buffered, and each event can be read once. */
export interface RunStream<Out> extends AsyncIterable<TraceEvent> {
  /** The run's result. The promise resolves even if you don't read the events. */
  readonly result: Promise<RunResult<Out>>;
}

/**
 * Does the same as `run`, and streams the run's events. If the model provider can stream, the reply's text comes in
 * `llm_delta` events. If you leave the loop over the events before its end (`break`, `return`, a throw), or call the
 * iterator's `return()`, the run is aborted.
 *
 * @example
 * ```ts
 * import { type RunConfig, type RunState, runStream } from "@jaf/core";
 *
 * declare const state: RunState<object>;
 * declare const config: RunConfig<object>;
 *
 * const stream = runStream<object, string>(state, config);
 * for await (const event of stream) {
 *   if (event.type === "llm_delta") process.stdout.write(event.data.text);
 * }
 * const { outcome } = await stream.result;
 * ```
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

/** The events and the result of running work. Events are buffered, and each event can be read once. */
export interface EventStream<Result> extends AsyncIterable<TraceEvent> {
  /** The result of the work. The promise resolves even if the events aren't read. */
  readonly result: Promise<Result>;
}

/**
 * Starts work and streams its events. The work is aborted with the signal `outer`, or if the loop over the events is
 * left early. If the work rejects, the loop throws and `result` rejects.
 */
export function streamEvents<Result>(
  outer: AbortSignal | undefined,
  start: (options: { readonly signal: AbortSignal; readonly sink: Emit }) => Promise<Result>,
): EventStream<Result> {
  const channel = createChannel<TraceEvent>();
  const controller = new AbortController();
  const unsubscribe = outer && onAbort(outer, () => controller.abort(outer.reason));

  const result = start({ signal: controller.signal, sink: channel.push }).finally(unsubscribe);
  // This also marks a rejection of `result` as handled. A reader who uses only the events gets the error from the events.
  result.then(channel.end, channel.fail);

  const leave = async () => {
    controller.abort(new Error("the loop over the stream was left"));
    // A reader who has left the loop doesn't need the error.
    await result.catch(() => undefined);
  };
  const events = channel.read(leave);
  return { result, [Symbol.asyncIterator]: () => events };
}

/** A queue between one writer, which never waits, and one reader. */
export interface Channel<T> {
  readonly push: (value: T) => void;
  readonly end: () => void;
  readonly fail: (thrown: unknown) => void;
  /** Returns the reader's iterator. `onLeave` is called if the reader stops before the end. */
  readonly read: (
    onLeave: () => Promise<void>,
  ) => Required<Pick<AsyncIterator<T, undefined>, "next" | "return">>;
}

/** How the writer ended: with a failure or normally. */
interface Closed {
  readonly failure?: { readonly thrown: unknown };
}

const finished = { done: true, value: undefined } as const;

export function createChannel<T>(): Channel<T> {
  // Values are taken as a whole list. Shifting them one by one takes quadratic time for a late reader.
  let incoming: T[] = [];
  let batch: Iterator<T> = [].values();
  let closed: Closed | undefined;
  let left = false;
  let waiting: (() => void)[] = [];
  const notify = () => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const close = (how: Closed) => {
    closed ??= how;
    notify();
  };

  async function next(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      if (left) return finished;
      let taken = batch.next();
      if (taken.done === true && incoming.length > 0) {
        batch = incoming.values();
        incoming = [];
        taken = batch.next();
      }
      if (taken.done !== true) return taken;
      if (closed !== undefined) {
        left = true;
        if (closed.failure !== undefined) throw closed.failure.thrown;
        return finished;
      }
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
  }

  return {
    push: (value) => {
      incoming.push(value);
      notify();
    },
    end: () => close({}),
    fail: (thrown) => close({ failure: { thrown } }),
    // Not a generator: a generator doesn't run its `finally` if the reader leaves before the first `next`, or while a `next`
    // is pending.
    read: (onLeave) => ({
      next,
      return: async () => {
        const isFirst = !left;
        left = true;
        notify();
        if (isFirst && closed === undefined) await onLeave();
        return finished;
      },
    }),
  };
}
