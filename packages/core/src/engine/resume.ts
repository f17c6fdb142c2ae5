import { messageText, sanitizeConversation } from "@jaf/memory";
import { isHandoffCall } from "../handoff/handoff.ts";
import {
  approvedBefore,
  checkDecisions,
  type Decisions,
  type GivenDecisions,
  isUndecided,
} from "../interruption/decisions.ts";
import { sortCalls } from "../interruption/sort-calls.ts";
import { askedNow } from "../interruption/waiting.ts";
import { answerCalls } from "../tools/answer-calls.ts";
import { concludeStored } from "./conclude.ts";
import { interrupt } from "./interrupt.ts";
import type { RunScope } from "./scope.ts";
import { fail, failTurn, type Step } from "./step.ts";
import { beginTurn } from "./turn.ts";
import type { UnansweredCalls, Unfinished } from "./unfinished.ts";

/**
 * Goes on with a conversation to which nothing was said, e.g. after a crash or an interruption, with the agent that had
 * it:
 *
 * - It ends with unanswered tool calls: those are run that need not wait, and no other, which is the rest of a turn.
 *   Then the model is called, unless calls still wait.
 * - It ends with what was said to the agent, or with tool results: the model is called.
 * - It ends with a reply: that reply is the output. Nothing is called and nothing stored.
 */
export async function resume<Ctx>(
  scope: RunScope<Ctx>,
  unfinished: Unfinished<Ctx>,
  given: GivenDecisions,
): Promise<Step<Ctx>> {
  const { state, calls, open, stored } = unfinished;
  const checked = checkDecisions(given, open);
  if (!checked.ok) return fail(state, checked.error);
  if (calls !== undefined) {
    return isUndecided(given) && waitsForSomebody(calls)
      ? askAgain(scope, unfinished, calls)
      : answerOpen(scope, unfinished, { calls, decisions: checked.decisions });
  }
  const last = state.messages.at(-1);
  if (last?.role === "assistant") return concludeStored(scope, unfinished, messageText(last));
  const claimed = await scope.journal?.claim(stored, { agentName: state.currentAgentName });
  return claimed?.success === false ? failTurn(state, claimed.error) : { state };
}

const waitsForSomebody = <Ctx>({ batch, sorted }: UnansweredCalls<Ctx>): boolean =>
  sorted.waiting.length > 0 &&
  sorted.answered.length === 0 &&
  sorted.run.every((call) => isHandoffCall(batch, call));

/** Nothing was decided, but approvals may have expired. */
async function askAgain<Ctx>(
  scope: RunScope<Ctx>,
  { state, messages }: Unfinished<Ctx>,
  { batch, known, sorted }: UnansweredCalls<Ctx>,
): Promise<Step<Ctx>> {
  const asking = { ...state, messages };
  const waiting = askedNow(known, scope.config.approvalTtlMs);
  if (waiting.note === known.note) return interrupt(scope, asking, { interruptions: sorted.waiting });
  const decisions = approvedBefore(waiting.note.approved);
  const { waiting: interruptions } = await sortCalls(scope, batch, { decisions, waiting });
  const entry = { agentName: batch.agentName, callScope: batch.callScope, approvals: waiting.note };
  return interrupt(scope, asking, { interruptions, entry });
}

async function answerOpen<Ctx>(
  scope: RunScope<Ctx>,
  { state, messages, stored }: Unfinished<Ctx>,
  { calls, decisions }: { readonly calls: UnansweredCalls<Ctx>; readonly decisions: Decisions },
): Promise<Step<Ctx>> {
  const refused = beginTurn(scope, state);
  if (refused !== undefined) return refused;
  const { batch, known } = calls;
  const waiting = askedNow(known, scope.config.approvalTtlMs);
  const approvals = { ...waiting.note, approved: [...decisions.approved] };
  const entry = { agentName: batch.agentName, callScope: batch.callScope, approvals };
  // An approval is used up, durably, before its call runs.
  const claimed = await scope.journal?.claim(stored, entry);
  if (claimed?.success === false) return failTurn(state, claimed.error);
  const { results, interruptions, agentName, error } = await answerCalls(scope, batch, {
    decisions,
    waiting,
  });
  const answered = [...messages, ...results];
  const next = { ...state, currentAgentName: agentName };
  if (error === undefined && interruptions.length > 0)
    return interrupt(scope, { ...next, messages: answered }, { interruptions, entry });
  const after = { ...next, messages: sanitizeConversation(answered), turnCount: state.turnCount + 1 };
  return error === undefined ? { state: after } : fail(after, error);
}
