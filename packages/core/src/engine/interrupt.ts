import { frozenCopy } from "../immutable/copy.ts";
import type { Interruption } from "../interruption/interruption.ts";
import type { AppendEntry } from "../memory/turn-lease.ts";
import type { RunState } from "../state.ts";
import { fail, failEnd, type Step } from "../step.ts";
import { runAborted } from "../timing/abort.ts";
import type { RunScope } from "./run-scope.ts";

/**
 * Ends the run as interrupted, once that is stored.
 *
 * `entry`: what to store of the waiting calls. Absent: it is stored already.
 */
export async function interrupt<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  { interruptions, entry }: { readonly interruptions: readonly Interruption[]; readonly entry?: AppendEntry },
): Promise<Step<Ctx>> {
  const stored = entry === undefined ? undefined : await store(scope, entry);
  if (stored === "aborted") return fail(state, runAborted(scope.config.signal));
  if (stored?.success === false) return failEnd(state, stored.error);
  for (const interruption of interruptions) {
    scope.emit?.({ type: "interruption", data: { interruption: frozenCopy(interruption) } });
  }
  const error = { _tag: "RunInterrupted", waiting: interruptions.length } as const;
  return {
    state: asStored(scope, state),
    outcome: { status: "interrupted", interruptions: Object.freeze([...interruptions]), error },
  };
}

async function store<Ctx>({ journal, config }: RunScope<Ctx>, entry: AppendEntry) {
  try {
    return await journal?.interrupt(entry);
  } catch (thrown) {
    if (config.signal?.aborted !== true) throw thrown;
    return "aborted";
  }
}

/**
 * The messages in the store's order, with results in the order in which they arrived: a client sends them back to be compared
 * with the stored ones.
 */
function asStored<Ctx>({ journal }: RunScope<Ctx>, state: RunState<Ctx>): RunState<Ctx> {
  if (journal === undefined) return state;
  const { stored, added } = journal.history();
  return { ...state, messages: [...(stored?.messages ?? []), ...added] };
}
