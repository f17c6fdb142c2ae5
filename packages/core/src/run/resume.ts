import type { Message } from "@jaf/memory";
import { sanitizeConversation } from "@jaf/memory/internal";
import { classifyCalls } from "../approvals/classify-calls.ts";
import { approvedBefore, checkDecisions, type Decisions } from "../approvals/decisions.ts";
import { renewExpired } from "../approvals/pending-approvals.ts";
import { type GivenDecisions, type Interruption, isUndecided } from "../interruption.ts";
import { fail, failTurn, type ModelTurn, type RunScope, type Step, timeOf } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import type { AppendEntry } from "../stored/lease.ts";
import { isHandoff } from "../tool-calls/handoff.ts";
import { type AnsweredCalls, answerCalls } from "./answer-calls.ts";
import { concludeStored, interrupt } from "./conclude.ts";
import type { UnansweredCalls, Unfinished } from "./open-calls.ts";
import { beginTurn } from "./step.ts";

/**
 * Continues a conversation without new messages, e.g. after a crash or an interruption, with the agent that had it:
 *
 * - It ends with unanswered tool calls: those that need not wait are run, which completes the turn. Then the model is called,
 *   unless calls still wait.
 * - It ends with user messages or tool results: the model is called.
 * - It ends with a reply: that reply is the output. Nothing is called or stored.
 */
export async function resume<Ctx>(
  scope: RunScope<Ctx>,
  unfinished: Unfinished<Ctx>,
  given: GivenDecisions,
): Promise<Step<Ctx>> {
  const { state, found, calls } = unfinished;
  if (!found.ok) return fail(state, found.error);
  if (calls !== undefined && isUndecided(given) && waitsForSomebody(calls))
    return askAgain(scope, unfinished, calls);
  const answered = await answerDecided(scope, unfinished, given);
  if (answered.step.outcome !== undefined) return answered.step;
  const { interruptions, entry } = answered;
  if (interruptions.length > 0) {
    const waiting = { ...answered.step.state, messages: answered.messages };
    return interrupt(scope, waiting, { interruptions, entry });
  }
  return calls === undefined ? goOn(scope, { state, agent: found.agent }) : answered.step;
}

/** The result of applying decisions to open calls. */
export interface Answered<Ctx> {
  /** With an outcome, the run ends here. Else with the state for the model, without calls that still wait. */
  readonly step: Step<Ctx>;
  /** Including calls that still wait. */
  readonly messages: readonly Message[];
  readonly interruptions: readonly Interruption[];
  readonly entry: AppendEntry;
}

/** Answers the open calls that were decided about, and those that need no decision. The turn goes on. */
export async function answerDecided<Ctx>(
  scope: RunScope<Ctx>,
  unfinished: Unfinished<Ctx>,
  given: GivenDecisions,
): Promise<Answered<Ctx>> {
  const { state, found, open, calls, messages } = unfinished;
  const entry = { agentName: state.currentAgentName };
  const ended = (step: Step<Ctx>): Answered<Ctx> => ({ step, messages, interruptions: [], entry });
  if (!found.ok) return ended(fail(state, found.error));
  const checked = checkDecisions(given, { open, now: timeOf(scope) });
  if (!checked.ok) return ended(fail(state, checked.error));
  scope.onJudged?.();
  return calls === undefined
    ? ended({ state })
    : answerOpen(scope, unfinished, { calls, decisions: checked.decisions });
}

/** The model is called next, unless the conversation ends with its reply. */
async function goOn<Ctx>(scope: RunScope<Ctx>, turn: ModelTurn<Ctx>): Promise<Step<Ctx>> {
  const { state } = turn;
  const last = state.messages.at(-1);
  if (last?.role === "assistant") return concludeStored(scope, turn, last);
  const acquired = await scope.journal?.takeTurn({ agentName: state.currentAgentName });
  return acquired?.success === false ? failTurn(state, acquired.error) : { state };
}

/** Whether none of these calls can be answered before somebody decides. */
export const waitsForSomebody = <Ctx>({ classified }: UnansweredCalls<Ctx>): boolean =>
  classified.waiting.length > 0 && classified.answered.length === 0 && classified.run.every(isHandoff);

/** Interrupts again: nothing was decided, but approvals may have expired. */
async function askAgain<Ctx>(
  scope: RunScope<Ctx>,
  { state, messages }: Unfinished<Ctx>,
  { batch, known, classified }: UnansweredCalls<Ctx>,
): Promise<Step<Ctx>> {
  const asking = { ...state, messages };
  const waiting = renewExpired(known, { ttlMs: scope.config.approvalTtlMs, now: () => timeOf(scope) });
  if (waiting.record === known.record) {
    return interrupt(scope, asking, { interruptions: classified.waiting });
  }
  const decisions = approvedBefore(waiting.record.approved);
  const { judged } = classified;
  const { waiting: interruptions } = await classifyCalls(scope, batch, { decisions, waiting, judged });
  const entry = { agentName: batch.agentName, callScope: batch.callScope, approvals: waiting.record };
  return interrupt(scope, asking, { interruptions, entry });
}

async function answerOpen<Ctx>(
  scope: RunScope<Ctx>,
  { state, messages }: Unfinished<Ctx>,
  { calls, decisions }: { readonly calls: UnansweredCalls<Ctx>; readonly decisions: Decisions },
): Promise<Answered<Ctx>> {
  const { batch, known, classified } = calls;
  const { judged } = classified;
  const waiting = renewExpired(known, { ttlMs: scope.config.approvalTtlMs, now: () => timeOf(scope) });
  const approvals = { ...waiting.record, approved: [...decisions.approved] };
  const entry = { agentName: batch.agentName, callScope: batch.callScope, approvals };
  const ended = (step: Step<Ctx>): Answered<Ctx> => ({ step, messages, interruptions: [], entry });
  const refused = beginTurn(scope, state);
  if (refused !== undefined) return ended(refused);
  // That an approval was used is stored before its call runs.
  const acquired = await scope.journal?.takeTurn(entry);
  if (acquired?.success === false) return ended(failTurn(state, acquired.error));
  const answered = await answerCalls(scope, batch, { decisions, waiting, judged });
  return { ...afterAnswers(state, messages, answered), entry };
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
  return { step: error === undefined ? { state: after } : fail(after, error), messages, interruptions };
}
