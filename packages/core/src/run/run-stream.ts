import { onAbort } from "@jaf/memory/internal";
import type { Emit, TraceEvent } from "../events.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunConfig } from "../run-config.ts";
import type { RunResult, RunState } from "../state.ts";
import { execute } from "./run.ts";

/** The events of a running run. They are buffered, and each can be read once. */
export interface RunStream<Out> extends AsyncIterable<TraceEvent> {
  /** The run's result. Resolves even if you don't read the events. */
  readonly result: Promise<RunResult<Out>>;
}

/**
 * Like `run`, but also streams the run's events. If the model provider can stream, the reply's text comes in `llm_delta`
 * events. Leaving the loop before its end (`break`, `return`, a throw) aborts the run, and so does the iterator's `return()`.
 * As with `run`, `Out` isn't checked.
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

/** The events of running work. They are buffered, and each can be read once. */
export interface EventStream<Result> extends AsyncIterable<TraceEvent> {
  /** The result. Resolves even if the events aren't read. */
  readonly result: Promise<Result>;
}

/**
 * Starts work and streams its events. If the work rejects, the loop over the events throws and `result` rejects. Leaving the
 * loop before its end aborts the work, and so does `outer`.
 */
export function streamEvents<Result>(
  outer: AbortSignal | undefined,
  start: (options: { readonly signal: AbortSignal; readonly sink: Emit }) => Promise<Result>,
): EventStream<Result> {
  const channel = createChannel<TraceEvent>();
  const controller = new AbortController();
  const unsubscribe = outer && onAbort(outer, () => controller.abort(outer.reason));

  const result = start({ signal: controller.signal, sink: channel.push }).finally(unsubscribe);
  // Also marks a rejection as handled: a reader who uses only the events gets it from them.
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
  /** Returns the reader's iterator. `onLeave` is called if the reader stops before the end, even before its first `next`. */
  readonly read: (
    onLeave: () => Promise<void>,
  ) => Required<Pick<AsyncIterator<T, undefined>, "next" | "return">>;
}

/** How the writer ended. */
interface Closed {
  readonly failure?: { readonly thrown: unknown };
}

const finished = { done: true, value: undefined } as const;

export function createChannel<T>(): Channel<T> {
  // Read as a whole list, because shifting items one by one is quadratic for a late reader.
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
    // Not a generator: if left before its first `next`, or while one is pending, a generator doesn't run its `finally`.
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
