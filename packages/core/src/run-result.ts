import type { JAFError } from "./errors.ts";
import type { RunState } from "./state.ts";

/**
 * How a run ended, and the state it had come to: the initial one if it couldn't begin. Whatever happens, the run adds no
 * tool call to `finalState.messages` without its result, and no reply that a guardrail or the codec refused.
 */
export type RunResult<Out> = {
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly finalState: RunState<any>;
  readonly outcome:
    | { readonly status: "completed"; readonly output: Out }
    | { readonly status: "error"; readonly error: JAFError };
};
