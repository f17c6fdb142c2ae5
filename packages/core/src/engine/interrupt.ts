import type { Interruption } from "../interruption/interruption.ts";
import type { AppendEntry } from "../memory/turn-holder.ts";
import type { RunState } from "../state.ts";
import type { RunScope } from "./scope.ts";
import { failMemory, type Step } from "./step.ts";

/**
 * Ends the run with calls that wait for somebody, once that is durable.
 *
 * `entry`: what is noted of them; absent where the store knows it already.
 */
export async function interrupt<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  { interruptions, entry }: { readonly interruptions: readonly Interruption[]; readonly entry?: AppendEntry },
): Promise<Step<Ctx>> {
  const stored = entry === undefined ? undefined : await scope.journal?.interrupt(entry);
  if (stored?.success === false) return failMemory(state, stored.error);
  for (const interruption of interruptions) {
    scope.emit?.({ type: "interruption", data: { interruption: frozen(interruption) } });
  }
  const error = { _tag: "RunInterrupted", waiting: interruptions.length } as const;
  return { state: asStored(scope, state), outcome: { status: "interrupted", interruptions, error } };
}

/**
 * The messages in the order that the store has them in, with results as they came: a client sends them back, and they
 * are compared then.
 */
function asStored<Ctx>({ journal }: RunScope<Ctx>, state: RunState<Ctx>): RunState<Ctx> {
  if (journal === undefined) return state;
  const { stored, said } = journal.history();
  return { ...state, messages: [...(stored?.messages ?? []), ...said] };
}

const frozen = (interruption: Interruption): Interruption => Object.freeze({ ...interruption });
