import { createChannel } from "../events/channel.ts";
import type { TraceEvent } from "../events/trace-event.ts";
import type { ClientSettings } from "./config.ts";
import type { PromptCall } from "./opening.ts";
import { performPrompt } from "./prompt.ts";
import type { PromptResult } from "./prompt-result.ts";

/**
 * A prompt whose run is under way. Its events wait until they are read; each is read once. Where `prompt` would
 * reject, the loop throws, and so does `result`.
 */
export interface PromptStream<Out> extends AsyncIterable<TraceEvent> {
  /** There also for those who don't read the events. */
  readonly result: Promise<PromptResult<Out>>;
}

export function streamPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
): PromptStream<Out> {
  const channel = createChannel<TraceEvent>();
  const controller = new AbortController();
  const { signal } = controller;
  // Anything else is a bad option, which `performPrompt` refuses.
  const outer = call.options.signal instanceof AbortSignal ? call.options.signal : undefined;
  const forwardAbort = () => controller.abort(outer?.reason);
  if (outer?.aborted === true) forwardAbort();
  else outer?.addEventListener("abort", forwardAbort, { once: true });

  const result = performPrompt(settings, call, { streaming: true, signal, sink: channel.push }).finally(() =>
    outer?.removeEventListener("abort", forwardAbort),
  );
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
