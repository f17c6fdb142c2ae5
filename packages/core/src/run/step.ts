import type { Message, ToolCall } from "@jaf/memory";
import { present, sanitizeConversation } from "@jaf/memory/internal";
import { findAgent } from "../agent.ts";
import { nothingBegun } from "../approvals/classify-calls.ts";
import { nothingDecided } from "../approvals/decisions.ts";
import {
  openCallScope,
  pendingApprovalsOf,
  type ReplyLocation,
  renewExpired,
} from "../approvals/pending-approvals.ts";
import { abortError } from "../limits/abort.ts";
import type { PromptAddition } from "../middleware.ts";
import { callModel } from "../model-calls/call-model.ts";
import { fail, failMemory, type RunProgress, type RunScope, type StepStart, timeOf } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { answerCalls } from "./answer-calls.ts";
import { conclude, interrupt } from "./conclude.ts";
import { repairableFaults, repairRequest } from "./output-repair.ts";

const DEFAULT_OUTPUT_REPAIRS = 1;

/**
 * Takes one step: calls the model, and ends the run with its reply or runs the tools that the reply calls. `additions`:
 * the texts that middleware adds to the prompt.
 */
export async function takeStep<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  additions: readonly PromptAddition[] = [],
): Promise<RunProgress<Ctx>> {
  const aborted = abortError(scope.config.signal);
  if (aborted !== undefined) return fail(state, aborted);
  const found = findAgent(scope.config, state.currentAgentName);
  if (!found.ok) return fail(state, found.error);
  const refused = beginStep(scope, state);
  if (refused !== undefined) return refused;
  const step = { state, agent: found.agent };
  const { outputRepairs = DEFAULT_OUTPUT_REPAIRS } = scope.config;
  let trailing: readonly Message[] = [];
  for (let repair = 1; ; repair++) {
    const reply = await callModel(scope, step, { additions, trailing });
    if (!reply.ok) return fail(state, reply.error);
    if (reply.message.tool_calls !== undefined) {
      // The text of a reply with tool calls isn't an output, so guardrails don't check it.
      reply.text.release();
      return runCalls(scope, step, reply.message);
    }
    const ended = await conclude(scope, step, reply);
    const faults = repair > outputRepairs ? undefined : repairableFaults(ended);
    if (faults === undefined) return ended;
    const data = { agentName: state.currentAgentName, repair, issueCount: faults.length };
    scope.emit?.({ type: "output_repair", data });
    trailing = [...trailing, reply.message, repairRequest(reply.message, faults)];
  }
}

/**
 * Emits `step_start` and returns `undefined`. If the run has already taken `RunConfig.maxTurns` steps, returns its
 * progress with the outcome `MaxTurnsExceeded`.
 */
export function beginStep<Ctx>(scope: RunScope<Ctx>, state: RunState<Ctx>): RunProgress<Ctx> | undefined {
  const { turnCount, currentAgentName: agentName } = state;
  // Negated, so a limit of `NaN` stops the run.
  if (!(turnCount < scope.maxTurns)) return fail(state, { _tag: "MaxTurnsExceeded", turns: turnCount });
  scope.emit?.({ type: "step_start", data: { step: turnCount + 1, agentName } });
  return undefined;
}

async function runCalls<Ctx>(
  scope: RunScope<Ctx>,
  { state, agent }: StepStart<Ctx>,
  message: Message,
): Promise<RunProgress<Ctx>> {
  const { currentAgentName } = state;
  const callScope = `${scope.executionId()}:${state.turnCount}`;
  const stored =
    scope.journal && (await scope.journal.calls(message, { agentName: currentAgentName, callScope }));
  if (stored?.success === false) return failMemory(state, stored.error);
  scope.emit?.({ type: "assistant_message", data: { agentName: currentAgentName, message } });
  const calls: readonly ToolCall[] = message.tool_calls ?? [];
  const waiting = renewExpired(pendingApprovalsOf(replyLocation(scope, state, callScope)), {
    ttlMs: scope.config.approvalTtlMs,
    now: () => timeOf(scope),
  });
  const { results, interruptions, asked, agentName, error } = await answerCalls(
    scope,
    {
      agentName: currentAgentName,
      agent,
      context: state.context,
      calls,
      replyCalls: calls,
      callScope,
      messages: state.messages,
    },
    { decisions: nothingDecided, waiting, begun: nothingBegun },
  );
  const messages = [...state.messages, message, ...results];
  if (error === undefined && interruptions.length > 0) {
    const entry = {
      agentName: currentAgentName,
      callScope,
      approvals: waiting.record,
      ...present({ asked }),
    };
    const waitingState = { ...state, messages, currentAgentName: agentName };
    return interrupt(scope, waitingState, { interruptions, entry });
  }
  const after = {
    ...state,
    messages: results.length === calls.length ? messages : sanitizeConversation(messages),
    currentAgentName: agentName,
    turnCount: state.turnCount + 1,
  };
  return error === undefined ? { state: after } : fail(after, error);
}

/** Returns the location of the reply that the run has just got from the model. */
function replyLocation<Ctx>(
  { journal, runId }: RunScope<Ctx>,
  { messages }: RunState<Ctx>,
  callScope: string,
): ReplyLocation {
  if (journal !== undefined) {
    const { conversationId, position } = journal;
    return { owner: conversationId, position: position() - 1, scope: callScope, isStored: true };
  }
  const position = messages.length;
  return { owner: runId, position, scope: openCallScope(runId, position), isStored: false };
}
