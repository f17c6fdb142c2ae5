import type { RunState } from "../state.ts";

/** What a run changes of its state. */
type Changes<Ctx> = Partial<Pick<RunState<Ctx>, "messages" | "currentAgentName" | "turnCount">>;

const FIELDS = 6;

/**
 * A run's own state with other fields. Written out, as a copy by `{ ...state, … }` of what is such a copy itself takes ten
 * times as long, and so does it to freeze one; what a caller's state had beside the type's fields is kept, symbols aside.
 */
export function changedState<Ctx>(state: RunState<Ctx>, changes: Changes<Ctx>): RunState<Ctx> {
  const { runId, traceId, context } = state;
  const {
    messages = state.messages,
    currentAgentName = state.currentAgentName,
    turnCount = state.turnCount,
  } = changes;
  const changed = { runId, traceId, messages, currentAgentName, context, turnCount };
  let fields = 0;
  // `Reflect.ownKeys` makes a list, which takes twenty times as long.
  for (const _ in state) fields += 1;
  return fields > FIELDS ? { ...state, ...changed } : changed;
}
