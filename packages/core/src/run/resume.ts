import type { Message } from "@jaf/memory";
import { present, sanitizeConversation } from "@jaf/memory/internal";
import { askedWith } from "../approvals/changed-calls.ts";
import { classifyCalls } from "../approvals/classify-calls.ts";
import { approvedBefore, checkDecisions, type Decisions } from "../approvals/decisions.ts";
import { renewExpired } from "../approvals/pending-approvals.ts";
import { inboxEngineOf } from "../inbox-engine.ts";
import { type GivenDecisions, type Interruption, isUndecided } from "../interruption.ts";
import { fail, failLease, type RunProgress, type RunScope, type StepStart, timeOf } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import type { AppendEntry } from "../stored/lease.ts";
import { isHandoff } from "../tool-calls/handoff.ts";
import { type AnsweredCalls, answerCalls } from "./answer-calls.ts";
import { concludeStored, interrupt } from "./conclude.ts";
import type { OpenCallBatch, StoppedConversation } from "./open-calls.ts";
import { beginStep } from "./step.ts";

/**
 * Continues a conversation without new messages (e.g. after a crash or an interruption), with the agent that had it
 * last.
 *
 * - If it ends with unanswered tool calls, those that don't wait run. If no call waits, the model is called.
 * - If it ends with user messages or tool results, the model is called.
 * - If it ends with a reply, what waits in the inbox begins a turn. If nothing waits, that reply is the output, and nothing
 *   is called or stored.
 */
export async function resume<Ctx>(
  scope: RunScope<Ctx>,
  stopped: StoppedConversation<Ctx>,
  given: GivenDecisions,
): Promise<RunProgress<Ctx>> {
  const { state, found, calls } = stopped;
  if (!found.ok) return fail(state, found.error);
  if (calls !== undefined && isUndecided(given) && onlyWaits(calls)) return askAgain(scope, stopped, calls);
  const answered = await answerDecided(scope, stopped, given);
  if (answered.progress.outcome !== undefined) return answered.progress;
  const { interruptions, entry } = answered;
  if (interruptions.length > 0) {
    const waiting = { ...answered.progress.state, messages: answered.messages };
    return interrupt(scope, waiting, { interruptions, entry });
  }
  return calls === undefined ? goOn(scope, { state, agent: found.agent }) : answered.progress;
}

/** The result of applying decisions to open tool calls. */
export interface Answered<Ctx> {
  /**
   * The run's progress: an outcome if the run ends here, else the state for the model without calls that still wait.
   */
  readonly progress: RunProgress<Ctx>;
  /** The messages with the new results, including calls that still wait. */
  readonly messages: readonly Message[];
  readonly interruptions: readonly Interruption[];
  readonly entry: AppendEntry;
}

/** Answers each open call (a call without a result) that has a decision or needs none. */
export async function answerDecided<Ctx>(
  scope: RunScope<Ctx>,
  stopped: StoppedConversation<Ctx>,
  given: GivenDecisions,
): Promise<Answered<Ctx>> {
  const { state, found, open, calls, messages } = stopped;
  const entry = { agentName: state.currentAgentName };
  const ended = (progress: RunProgress<Ctx>): Answered<Ctx> => ({
    progress,
    messages,
    interruptions: [],
    entry,
  });
  if (!found.ok) return ended(fail(state, found.error));
  const checked = checkDecisions(given, { open, now: timeOf(scope) });
  if (!checked.ok) return ended(fail(state, checked.error));
  scope.onAccepted?.();
  return calls === undefined
    ? ended({ state })
    : answerOpen(scope, stopped, { calls, decisions: checked.decisions });
}

/**
 * Lets the run continue with a model call. If the conversation ends with a reply, the run begins a turn with what waits
 * in the inbox. If nothing waits there, it ends with that reply.
 */
async function goOn<Ctx>(scope: RunScope<Ctx>, step: StepStart<Ctx>): Promise<RunProgress<Ctx>> {
  const { state } = step;
  const last = state.messages.at(-1);
  const { journal } = scope;
  if (last?.role === "assistant") {
    const { inbox } = journal ?? {};
    const engine = inbox && inboxEngineOf(scope.config.memory?.inbox);
    const taken =
      journal && inbox && (await engine?.take(scope, { state, journal, inbox, takesLease: true }));
    return taken ?? concludeStored(scope, step, last);
  }
  const acquired = await journal?.takeLease({ agentName: state.currentAgentName });
  return acquired?.success === false ? failLease(state, acquired.error) : { state };
}

/**
 * Returns whether none of these open calls can be answered without a decision. A handoff can't be answered while
 * another call waits.
 */
export const onlyWaits = <Ctx>({ classified }: OpenCallBatch<Ctx>): boolean =>
  classified.waiting.length > 0 && classified.answered.length === 0 && classified.run.every(isHandoff);

/** Returns whether these open calls wait, or else are only asked for again because an approval has expired. */
export const onlyAsks = <Ctx>(calls: OpenCallBatch<Ctx>): boolean => {
  const { waiting, answered, run, begun } = calls.classified;
  const others = run.filter((runnable) => !isHandoff(runnable));
  return (
    waiting.length + others.length > 0 &&
    answered.length === 0 &&
    others.every(({ call }) => begun.get(call)?.onlyAsks === true)
  );
};

/** Ends the run as interrupted again, because no decision was passed. Expired approvals are requested again. */
async function askAgain<Ctx>(
  scope: RunScope<Ctx>,
  { state, messages }: StoppedConversation<Ctx>,
  { batch, known, classified }: OpenCallBatch<Ctx>,
): Promise<RunProgress<Ctx>> {
  const asking = { ...state, messages };
  const waiting = renewExpired(known, { ttlMs: scope.config.approvalTtlMs, now: () => timeOf(scope) });
  // After a crash, the calls can be asked about for the first time. A request of an older release stays as it is.
  const asked = known.wereRequested ? undefined : askedWith(known, classified.asked);
  if (waiting.record === known.record && asked === undefined) {
    return interrupt(scope, asking, { interruptions: classified.waiting });
  }
  const decisions = approvedBefore(waiting.record.approved);
  const { argumentsByCall, begun } = classified;
  const { waiting: interruptions } = await classifyCalls(scope, batch, {
    decisions,
    waiting,
    argumentsByCall,
    begun,
  });
  const entry = {
    ...{ agentName: batch.agentName, callScope: batch.callScope, approvals: waiting.record },
    ...present({ asked }),
  };
  return interrupt(scope, asking, { interruptions, entry });
}

async function answerOpen<Ctx>(
  scope: RunScope<Ctx>,
  { state, messages }: StoppedConversation<Ctx>,
  { calls, decisions }: { readonly calls: OpenCallBatch<Ctx>; readonly decisions: Decisions },
): Promise<Answered<Ctx>> {
  const { batch, known, classified } = calls;
  const { argumentsByCall, begun } = classified;
  const waiting = renewExpired(known, { ttlMs: scope.config.approvalTtlMs, now: () => timeOf(scope) });
  const approvals = { ...waiting.record, approved: [...decisions.approved] };
  const entry = { agentName: batch.agentName, callScope: batch.callScope, approvals };
  const ended = (progress: RunProgress<Ctx>): Answered<Ctx> => ({
    progress,
    messages,
    interruptions: [],
    entry,
  });
  const refused = beginStep(scope, state);
  if (refused !== undefined) return ended(refused);
  // An approval is stored as used before its call runs.
  const acquired = await scope.journal?.takeLease(entry);
  if (acquired?.success === false) return ended(failLease(state, acquired.error));
  const answered = await answerCalls(scope, batch, { decisions, waiting, argumentsByCall, begun });
  return {
    ...afterAnswers(state, messages, answered),
    entry: { ...entry, ...present({ asked: answered.asked }) },
  };
}

function afterAnswers<Ctx>(
  state: RunState<Ctx>,
  stored: readonly Message[],
  { results, interruptions, agentName: currentAgentName, error }: AnsweredCalls,
): Omit<Answered<Ctx>, "entry"> {
  const messages = [...stored, ...results];
  const isOver = error !== undefined || interruptions.length === 0;
  const turnCount = state.turnCount + (isOver ? 1 : 0);
  const after = { ...state, messages: sanitizeConversation(messages), currentAgentName, turnCount };
  return { progress: error === undefined ? { state: after } : fail(after, error), messages, interruptions };
}
