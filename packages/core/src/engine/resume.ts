import {
  type ConversationMemory,
  messageText,
  type PendingToolCalls,
  pendingToolCalls,
  sanitizeConversation,
} from "@jaf/memory";
import { readMetadata } from "../memory/metadata.ts";
import type { RunState } from "../state.ts";
import { answerCalls } from "../tools/answer-calls.ts";
import { concludeStored } from "./conclude.ts";
import { findAgent } from "./find-agent.ts";
import type { RunScope } from "./scope.ts";
import { fail, type Step, type Turn } from "./step.ts";
import { beginTurn } from "./turn.ts";

/**
 * Goes on with a stored conversation to which nothing was added, e.g. after a crash, with the agent that had it:
 *
 * - It ends with unanswered tool calls: those are run, and no other, which is the rest of a turn. Then the model is
 *   called.
 * - It ends with what was said to the agent, or with tool results: the model is called.
 * - It ends with a reply: that reply is the output. Nothing is called and nothing stored.
 */
export async function resume<Ctx>(
  scope: RunScope<Ctx>,
  initial: RunState<Ctx>,
  stored: ConversationMemory,
): Promise<Step<Ctx>> {
  const currentAgentName = agentNameOf(scope, initial, stored);
  const found = findAgent(scope.config, currentAgentName);
  if (!found.ok) return fail(initial, found.error);
  const state = { ...initial, messages: sanitizeConversation(stored.messages), currentAgentName };
  const turn = { state, agent: found.agent };
  const pending = pendingToolCalls(stored.messages);
  if (pending !== undefined) return runMissingCalls(scope, turn, { stored, pending });
  const last = state.messages.at(-1);
  return last?.role === "assistant" ? concludeStored(scope, turn, messageText(last)) : { state };
}

async function runMissingCalls<Ctx>(
  scope: RunScope<Ctx>,
  { state, agent }: Turn<Ctx>,
  unfinished: { readonly stored: ConversationMemory; readonly pending: PendingToolCalls },
): Promise<Step<Ctx>> {
  const refused = beginTurn(scope, state);
  if (refused !== undefined) return refused;
  const { stored, pending } = unfinished;
  const { results, agentName, error } = await answerCalls(scope, {
    agentName: state.currentAgentName,
    agent,
    context: state.context,
    calls: pending.missing,
    callScope: callScopeOf(stored, pending),
  });
  const next = {
    ...state,
    messages: sanitizeConversation([...stored.messages, ...results]),
    currentAgentName: agentName,
    turnCount: state.turnCount + 1,
  };
  return error === undefined ? { state: next } : fail(next, error);
}

/** The agent that had the conversation: it may have been handed to one that the caller doesn't know of. */
function agentNameOf<Ctx>(
  { config: { agentRegistry } }: RunScope<Ctx>,
  { currentAgentName }: RunState<Ctx>,
  stored: ConversationMemory,
): string {
  const { agentName } = readMetadata(stored);
  return agentName !== undefined && agentRegistry.has(agentName) ? agentName : currentAgentName;
}

/** As it was when the calls were stored; for calls that another program stored, their place in the conversation. */
function callScopeOf(stored: ConversationMemory, { index }: PendingToolCalls): string {
  const { toolCallScope } = readMetadata(stored);
  if (toolCallScope !== undefined) return toolCallScope;
  const { conversationId, metadata, messages } = stored;
  const version: unknown = metadata?.["version"];
  const position = typeof version === "number" ? version - messages.length + index : index;
  return `${conversationId}:${position}`;
}
