import type { ConversationMemory, Message, PendingToolCalls } from "@jaf/memory";
import { sanitizeConversation } from "@jaf/memory/engine";
import { pendingToolCalls } from "@jaf/memory/turns";
import { isHandoff } from "../handoff/handoff.ts";
import { approvalIdPrefix, bindingOf } from "../interruption/approval-id.ts";
import { nothingOpen, type OpenCalls } from "../interruption/decisions.ts";
import { sortCalls } from "../interruption/sort-calls.ts";
import type { SortedCalls } from "../interruption/sorted-calls.ts";
import { approvedBefore } from "../interruption/undecided.ts";
import { asNoted, openCallScope, type ReplyPlace, type Waiting } from "../interruption/waiting.ts";
import { firstPositionOf, type NotedMetadata, readMetadata } from "../memory/metadata.ts";
import type { RunState } from "../state.ts";
import type { CallBatch } from "../tools/execute-call.ts";
import { type FoundAgent, findAgent } from "./find-agent.ts";
import type { RunScope } from "./scope.ts";

/** A conversation that may go on where it stopped. */
export interface Unfinished<Ctx> {
  /** Of the agent that had it. */
  readonly state: RunState<Ctx>;
  /** As they are stored, with the calls that are open. */
  readonly messages: readonly Message[];
  readonly stored: ConversationMemory | null;
  /** The agent that had it, if it can be asked. */
  readonly found: FoundAgent<Ctx>;
  readonly calls?: UnansweredCalls<Ctx>;
  readonly open: OpenCalls;
}

/** The calls that the conversation ends with. */
export interface UnansweredCalls<Ctx> {
  readonly batch: CallBatch<Ctx>;
  readonly known: Waiting;
  /** What becomes of them as long as nobody decides anything. */
  readonly sorted: SortedCalls<Ctx>;
}

interface Source {
  readonly messages: readonly Message[];
  readonly stored: ConversationMemory | null;
}

/** Finds out what a conversation waits for. Rejects when the run is aborted meanwhile. */
export async function findUnfinished<Ctx>(
  scope: RunScope<Ctx>,
  initial: RunState<Ctx>,
  source: Source,
): Promise<Unfinished<Ctx>> {
  const { messages, stored } = source;
  const noted: NotedMetadata = stored === null ? {} : readMetadata(stored);
  const pending = pendingToolCalls(messages);
  const currentAgentName = agentNameOf(scope, initial, { noted, isWaitedFor: pending !== undefined });
  const state = { ...initial, messages: sanitizeConversation(messages), currentAgentName };
  const found = findAgent(scope.config, currentAgentName);
  const unfinished = { state, messages, stored, found, open: nothingOpen };
  if (!found.ok || pending === undefined) return unfinished;
  const known = asNoted(placeOf(initial, source, { pending, noted }), noted.approvals);
  const { approved } = known.note;
  const { place } = known;
  const all: CallBatch<Ctx> = {
    agentName: currentAgentName,
    agent: found.agent,
    context: state.context,
    calls: pending.missing,
    messages,
    callScope: noted.toolCallScope ?? openCallScope(place.owner, place.position),
  };
  const sorted = await sortCalls(scope, all, { decisions: approvedBefore(approved), waiting: known });
  const open = openCalls(all, { known, sorted });
  const batch = stored === null ? { ...all, calls: interruptedCalls(all, sorted) } : all;
  return { ...unfinished, calls: { batch, known, sorted }, open };
}

function openCalls<Ctx>(
  { calls }: CallBatch<Ctx>,
  { known: { place, note }, sorted }: Omit<UnansweredCalls<Ctx>, "batch">,
): OpenCalls {
  const bindings = new Map<string, string>();
  for (const [call, { bound }] of sorted.judged) {
    if (bound !== undefined) bindings.set(call.id, bindingOf(place, call, bound.text));
  }
  return {
    waiting: sorted.waiting,
    approved: note.approved,
    bindings,
    approvalIdPrefix: (toolCallId) => {
      const call = calls.find(({ id }) => id === toolCallId);
      return call && approvalIdPrefix(place, call, note.round);
    },
  };
}

/**
 * Of a history that isn't stored: an interrupted run leaves open what waits, and handoffs. Who made any other call, nobody
 * knows.
 */
function interruptedCalls<Ctx>(
  { calls }: CallBatch<Ctx>,
  { run, waiting }: SortedCalls<Ctx>,
): CallBatch<Ctx>["calls"] {
  const handoffs = run.filter(isHandoff);
  return calls.filter(
    (call) =>
      handoffs.some((handoff) => handoff.call === call) ||
      waiting.some(({ toolCallId }) => toolCallId === call.id),
  );
}

function placeOf<Ctx>(
  { runId }: RunState<Ctx>,
  { stored }: Source,
  { pending, noted }: { readonly pending: PendingToolCalls; readonly noted: NotedMetadata },
): ReplyPlace {
  const owner = stored?.conversationId ?? runId;
  const position = firstPositionOf(stored) + pending.index;
  const scope = noted.toolCallScope ?? openCallScope(owner, position);
  return { owner, position, scope, isStored: stored !== null };
}

/**
 * The agent that had the conversation: it may have been handed to one that the caller doesn't know of. Its open calls are
 * never another's, who may have other rules for tools of the same name.
 */
function agentNameOf<Ctx>(
  { config: { agentRegistry } }: RunScope<Ctx>,
  { currentAgentName }: RunState<Ctx>,
  { noted: { agentName }, isWaitedFor }: { readonly noted: NotedMetadata; readonly isWaitedFor: boolean },
): string {
  return agentName !== undefined && (isWaitedFor || agentRegistry.has(agentName))
    ? agentName
    : currentAgentName;
}
