import { streamEvents } from "../engine/event-stream.ts";
import type { TraceEvent } from "../events/trace-event.ts";
import type { ClientSettings } from "./config.ts";
import type { PromptCall } from "./parse-prompt.ts";
import { performPrompt } from "./prompt.ts";
import type { PromptResult } from "./prompt-result.ts";

/**
 * The events of a prompt's run. They are buffered until they are read; each is read once. Where `prompt` would reject, the loop
 * throws and `result` rejects. What a client sent back is validated before the first event.
 */
export interface PromptStream<Out> extends AsyncIterable<TraceEvent> {
  /** Resolves whether or not the events are read. */
  readonly result: Promise<PromptResult<Out>>;
}

export function streamPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
): PromptStream<Out> {
  const { signal: given } = call.options;
  // Anything else is a bad option, which the prompt refuses.
  const outer = given instanceof AbortSignal ? given : undefined;
  return streamEvents(outer, ({ signal, sink }) =>
    performPrompt(settings, call, { streaming: true, signal, sink }),
  );
}
