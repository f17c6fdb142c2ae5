import type { Message } from "@jaf/memory";
import { frozenCopy } from "../immutable/copy.ts";
import type { Interruption } from "../interruption.ts";
import { abortError, runAborted } from "../limits/abort.ts";
import type { StreamedReply } from "../model-calls/streamed-reply.ts";
import { fail, failEnd, type RunProgress, type RunScope, type StepStart } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import type { AppendEntry } from "../stored/lease.ts";
import { checkOutput } from "./output.ts";

/**
 * Ends the run with the model's final reply. The reply is stored only if the agent's `outputCodec` and the output
 * guardrails accept it.
 */
export async function conclude<Ctx>(
  scope: RunScope<Ctx>,
  step: StepStart<Ctx>,
  { message, text }: { readonly message: Message; readonly text: StreamedReply },
): Promise<RunProgress<Ctx>> {
  const { state } = step;
  const agentName = state.currentAgentName;
  const verdict = await checkOutput(scope, step, message);
  if ("failed" in verdict) {
    if (abortError(scope.config.signal) === undefined) text.retract();
    return verdict.failed;
  }
  text.release(message);
  scope.emit?.({ type: "assistant_message", data: { agentName, message } });
  const next = { ...state, messages: [...state.messages, message], turnCount: state.turnCount + 1 };
  const stored = await scope.journal?.reply(message, { agentName });
  if (stored?.success === false) return failEnd(next, stored.error);
  return { state: next, outcome: { status: "completed", output: verdict.output } };
}

/** Ends the run with a final reply that is already stored. */
export async function concludeStored<Ctx>(
  scope: RunScope<Ctx>,
  step: StepStart<Ctx>,
  reply: Message,
): Promise<RunProgress<Ctx>> {
  const verdict = await checkOutput(scope, step, reply);
  if ("failed" in verdict) return verdict.failed;
  return { state: step.state, outcome: { status: "completed", output: verdict.output } };
}

/**
 * Stores that the run is interrupted, and ends the run. `entry`: metadata about the calls that wait; absent if it is
 * stored already.
 */
export async function interrupt<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  { interruptions, entry }: { readonly interruptions: readonly Interruption[]; readonly entry?: AppendEntry },
): Promise<RunProgress<Ctx>> {
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

/** Returns the state with its messages in the store's order. */
function asStored<Ctx>({ journal }: RunScope<Ctx>, state: RunState<Ctx>): RunState<Ctx> {
  // A client sends these messages back, and they are compared with the stored ones.
  if (journal === undefined) return state;
  const { stored, added } = journal.history();
  return { ...state, messages: [...(stored?.messages ?? []), ...added] };
}
