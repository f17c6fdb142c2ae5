import { type ConversationMemory, type Message, pendingToolCalls, sanitizeConversation } from "@jaf/memory";
import { approvedBefore, nothingOpen, type OpenCalls } from "../interruption/decisions.ts";
import { type SortedCalls, sortCalls } from "../interruption/sort-calls.ts";
import { asNoted, type Waiting } from "../interruption/waiting.ts";
import { type ApprovalNote, type NotedMetadata, readMetadata, versionOf } from "../memory/metadata.ts";
import type { RunState } from "../state.ts";
import type { CallBatch } from "../tools/execute-call.ts";
import { findAgent } from "./find-agent.ts";
import type { RunScope } from "./scope.ts";
import { fail, type Step, type Turn } from "./step.ts";

/** A conversation that may go on where it stopped. */
export interface Unfinished<Ctx> extends Turn<Ctx> {
  /** As they are stored, with the calls that are open. */
  readonly messages: readonly Message[];
  readonly stored: ConversationMemory | null;
  readonly calls: UnansweredCalls<Ctx> | undefined;
  readonly open: OpenCalls;
}

/** The calls that the conversation ends with. */
export interface UnansweredCalls<Ctx> {
  readonly batch: CallBatch<Ctx>;
  readonly known: Waiting;
  readonly noted: ApprovalNote | undefined;
  /** What becomes of them as long as nobody decides anything. */
  readonly sorted: SortedCalls;
}

interface Source {
  readonly messages: readonly Message[];
  readonly stored: ConversationMemory | null;
}

/** Finds out what a conversation waits for. Rejects when the run is aborted meanwhile. */
export async function findUnfinished<Ctx>(
  scope: RunScope<Ctx>,
  initial: RunState<Ctx>,
  { messages, stored }: Source,
): Promise<Unfinished<Ctx> | { readonly failed: Step<Ctx> }> {
  const noted: NotedMetadata = stored === null ? {} : readMetadata(stored);
  const currentAgentName = agentNameOf(scope, initial, noted);
  const found = findAgent(scope.config, currentAgentName);
  if (!found.ok) return { failed: fail(initial, found.error) };
  const { agent } = found;
  const state = { ...initial, messages: sanitizeConversation(messages), currentAgentName };
  const turn = { state, agent, messages, stored };
  const pending = pendingToolCalls(messages);
  if (pending === undefined) return { ...turn, calls: undefined, open: nothingOpen };
  const place = {
    owner: stored?.conversationId ?? initial.runId,
    position: (versionOf(stored) ?? messages.length) - (stored?.messages.length ?? 0) + pending.index,
  };
  const batch: CallBatch<Ctx> = {
    agentName: currentAgentName,
    agent,
    context: state.context,
    calls: pending.missing,
    callScope: noted.toolCallScope ?? `${place.owner}:${place.position}`,
  };
  const known = asNoted(place, noted.approvals);
  const { approved } = known.note;
  const sorted = await sortCalls(scope, batch, { decisions: approvedBefore(approved), waiting: known });
  return {
    ...turn,
    calls: { batch, known, noted: noted.approvals, sorted },
    open: { waiting: sorted.waiting, approved },
  };
}

/** The agent that had the conversation: it may have been handed to one that the caller doesn't know of. */
function agentNameOf<Ctx>(
  { config: { agentRegistry } }: RunScope<Ctx>,
  { currentAgentName }: RunState<Ctx>,
  { agentName }: NotedMetadata,
): string {
  return agentName !== undefined && agentRegistry.has(agentName) ? agentName : currentAgentName;
}
