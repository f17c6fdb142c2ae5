import type { ConversationMemory, Message } from "@jaf/memory";
import type { PendingToolCalls } from "@jaf/memory/history";
import { pendingToolCalls, sanitizeConversation } from "@jaf/memory/internal";
import { type FoundAgent, findAgent } from "../agent.ts";
import { type ClassifiedCalls, classifyCalls } from "../approvals/classify-calls.ts";
import { approvedBefore, nothingOpen } from "../approvals/decisions.ts";
import {
  approvalIdPrefix,
  bindingOf,
  openCallScope,
  type PendingApprovals,
  pendingApprovalsOf,
  type ReplyLocation,
} from "../approvals/pending-approvals.ts";
import type { OpenCalls } from "../interruption.ts";
import type { RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { readAskedCalls } from "../stored/asked-calls.ts";
import { firstPositionOf, readMetadata, type StoredMetadata } from "../stored/metadata.ts";
import type { CallBatch } from "../tool-calls/execute-call.ts";
import { isHandoff } from "../tool-calls/handoff.ts";

/** The conversation that a run continues, which can end with open tool calls (calls without a result). */
export interface StoppedConversation<Ctx> {
  /** The state to continue from, with the agent that had the conversation last. */
  readonly state: RunState<Ctx>;
  /** The stored or passed messages, including open calls. */
  readonly messages: readonly Message[];
  readonly stored: ConversationMemory | null;
  /** The agent that had the conversation last, or an error if that agent isn't registered or is invalid. */
  readonly found: FoundAgent<Ctx>;
  readonly calls?: OpenCallBatch<Ctx>;
  readonly open: OpenCalls;
}

/** The open calls at the end of a conversation. */
export interface OpenCallBatch<Ctx> {
  readonly batch: CallBatch<Ctx>;
  readonly known: PendingApprovals;
  /** Which of the calls run and which wait, before the decisions of this run are applied. */
  readonly classified: ClassifiedCalls<Ctx>;
}

interface Source {
  readonly messages: readonly Message[];
  readonly stored: ConversationMemory | null;
}

/** Finds the open calls at the end of a conversation and classifies them. Rejects if the run is aborted. */
export async function findOpenCalls<Ctx>(
  scope: RunScope<Ctx>,
  initial: RunState<Ctx>,
  source: Source,
): Promise<StoppedConversation<Ctx>> {
  const { messages, stored } = source;
  const metadata: StoredMetadata = stored === null ? {} : readMetadata(stored);
  const pending = pendingToolCalls(messages);
  const currentAgentName = agentNameOf(scope, initial, { metadata, isWaitedFor: pending !== undefined });
  const state = { ...initial, messages: sanitizeConversation(messages), currentAgentName };
  const found = findAgent(scope.config, currentAgentName);
  const stopped = { state, messages, stored, found, open: nothingOpen };
  if (!found.ok || pending === undefined) return stopped;
  const location = locationOf(initial, source, { pending, metadata });
  const { approvals: record } = metadata;
  const known = pendingApprovalsOf(location, { record, asked: readAskedCalls(stored, location.position) });
  const { approved } = known.record;
  const all: CallBatch<Ctx> = {
    agentName: currentAgentName,
    agent: found.agent,
    context: state.context,
    calls: pending.missing,
    replyCalls: messages[pending.index]?.tool_calls ?? [],
    messages,
    callScope: metadata.toolCallScope ?? openCallScope(location.owner, location.position),
  };
  const classified = await classifyCalls(scope, all, { decisions: approvedBefore(approved), waiting: known });
  if (classified.failure !== undefined)
    return { ...stopped, found: { ok: false, error: classified.failure } };
  const open = openCalls(all, { known, classified });
  const batch =
    stored === null
      ? { ...all, calls: interruptedCalls(all, classified) }
      : { ...all, cutOff: new Set(classified.run.map(({ call }) => call)) };
  return { ...stopped, calls: { batch, known, classified }, open };
}

function openCalls<Ctx>(
  { calls }: CallBatch<Ctx>,
  { known: { location, record }, classified }: Omit<OpenCallBatch<Ctx>, "batch">,
): OpenCalls {
  const bindings = new Map<string, string>();
  for (const [call, approvalArguments] of classified.argumentsByCall) {
    const binding = bindingOf(location, call, approvalArguments);
    if (binding !== undefined) bindings.set(call.id, binding);
  }
  return {
    waiting: classified.waiting,
    approved: record.approved,
    bindings,
    inner: new Map([...classified.begun].map(([call, { open }]) => [call.id, open])),
    approvalIdPrefix: (toolCallId) => {
      const call = calls.find(({ id }) => id === toolCallId);
      return call && approvalIdPrefix(location, call, record.round);
    },
  };
}

/** Returns the calls of an unstored history that a run may answer: calls that wait, and handoffs. */
function interruptedCalls<Ctx>(
  { calls }: CallBatch<Ctx>,
  { run, waiting }: ClassifiedCalls<Ctx>,
): CallBatch<Ctx>["calls"] {
  // An interrupted run leaves only such calls open. The engine can't tell who made any other open call.
  const handoffs = run.filter(isHandoff);
  return calls.filter(
    (call) =>
      handoffs.some((handoff) => handoff.call === call) ||
      waiting.some(({ toolCallId }) => toolCallId === call.id),
  );
}

function locationOf<Ctx>(
  { runId }: RunState<Ctx>,
  { stored }: Source,
  { pending, metadata }: { readonly pending: PendingToolCalls; readonly metadata: StoredMetadata },
): ReplyLocation {
  const owner = stored?.conversationId ?? runId;
  const position = firstPositionOf(stored) + pending.index;
  const scope = metadata.toolCallScope ?? openCallScope(owner, position);
  return { owner, position, scope, isStored: stored !== null };
}

/**
 * Returns the registry key of the agent that had the conversation last. After a handoff, it can differ from the one in
 * the caller's state.
 */
function agentNameOf<Ctx>(
  { config: { agentRegistry } }: RunScope<Ctx>,
  { currentAgentName }: RunState<Ctx>,
  {
    metadata: { agentName },
    isWaitedFor,
  }: { readonly metadata: StoredMetadata; readonly isWaitedFor: boolean },
): string {
  return agentName !== undefined && (isWaitedFor || agentRegistry.has(agentName))
    ? agentName
    : currentAgentName;
}
