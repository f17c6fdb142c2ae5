import type { Spent } from "./cost/spending.ts";
import type { JAFError, RunInterrupted } from "./errors.ts";
import type { Interruption } from "./interruption/interruption.ts";
import type { RunState } from "./state.ts";

/**
 * How a run ended, and the state it had come to, which is frozen but for its `context`: the initial one if it couldn't begin. The run adds no tool call to
 * `finalState.messages` without its result, but those that an interrupted run waits for, and no reply that a guardrail
 * or the codec refused.
 *
 * `interrupted` goes beyond the specification, which knows no approvals: calls wait for somebody. Run again, in whatever
 * process, with `RunConfig.approvals` or `RunConfig.toolResults`, and no new messages. Code that knows of two outcomes
 * only takes it for an error, `RunInterrupted`.
 */
export type RunResult<Out> = {
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly finalState: RunState<any>;
  /**
   * The position of the first of `finalState.messages` in the stored conversation, counted from its very first message: what
   * lies before it the store has dropped, or the run didn't need (see `memory.window`). Such a history may be handed in
   * again as it is. Absent where nothing was loaded.
   */
  readonly historyFrom?: number;
  /**
   * Stands for the stored history in `RunConfig.continuation`, so that a client needn't send it back. Only of a completed or
   * interrupted run, with a store that keeps digests. Absent, too, where the reply of the store to the last write got lost,
   * and where the same run has come to its end before and the conversation has gone on since. See `historyTokenOf`.
   */
  readonly historyToken?: string;
  /**
   * What the run's model calls have used, and those of all runs of its stored conversation, as far as the model provider tells.
   * Absent where it tells nothing; `conversation` where nothing is stored.
   */
  readonly spent?: { readonly run: Spent; readonly conversation?: Spent };
  readonly outcome:
    | { readonly status: "completed"; readonly output: Out }
    | { readonly status: "error"; readonly error: JAFError }
    | {
        readonly status: "interrupted";
        /** What the calls wait for, in call order. */
        readonly interruptions: readonly Interruption[];
        readonly error: RunInterrupted;
      };
};
