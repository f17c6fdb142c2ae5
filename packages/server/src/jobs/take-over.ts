import { readToolResult } from "@jaf/core";
import { nestedCallId, newerFormatError, takenPositions } from "@jaf/core/internal";
import type { MemoryErrorUnion, Message, Result, RichMessage } from "@jaf/memory";
import type { LoggedTurn, TakenOverTurn } from "@jaf/memory/adapter";
import { calledTool, createFailure, createSuccess, messageText, present } from "@jaf/memory/internal";
import { decodeEvent } from "../turns/encoded-event.ts";
import { ERASED, failedEnd, LOST } from "../turns/turn-ends.ts";
import { refusal } from "../turns/turn-errors.ts";
import type { InnerTurnEvent, RetractEvent, ToolEndEvent, TurnEnd, TurnEvent } from "../turns/turn-event.ts";
import { editKey } from "./edit.ts";
import type { JobScope, TakenJob } from "./job.ts";
import { endOfLeftTurn, type LeftTurn, missingAgent, NEWER_REQUEST, unknownAgent } from "./left-turn.ts";
import { decodeRequest, type StoredRequest, userMessagesOf } from "./stored-request.ts";
import type { TurnSettings } from "./turn-options.ts";

const PAGE = 1_000;
/**
 * How often a turn may be taken over from a process that has died, without a new message or tool result, before the turn
 * ends with the error `LOST`.
 */
const MAX_TAKE_OVERS_WITHOUT_PROGRESS = 3;

export interface Resumption {
  readonly request: Omit<StoredRequest, "base">;
  readonly taken: TakenJob;
}

/**
 * Loads what a job needs to continue a turn whose process is gone. After a failure, and for a `LeftTurn`, the caller
 * must release the turn's lease.
 */
export async function prepareTakeOver<Ctx>(
  scope: JobScope<Ctx>,
  { writer, turn, request: text }: TakenOverTurn,
): Promise<Result<Resumption | LeftTurn>> {
  const { settings } = scope;
  const decoded = decodeRequest(text);
  // How the turn ends if this process can't continue it. `undefined`: it is left to another process.
  const endOfLeft = endOfLeftTurn(turn, settings);
  const sent = await eventsOf(settings, turn);
  if (!sent.success) return sent;
  const events = sent.data;
  const stored = decoded === "newer" ? undefined : decoded;
  const base = stored?.base ?? { position: 0, version: 0, incarnation: "" };
  const startedAt = turn.startedAt;
  const opening = openingOf(turn, stored);
  const common = { writer, first: turn.events, base, startedAt, sentEvents: events, version: undefined };
  const endedAs = (ending: TurnEnd): Result<Resumption> => {
    const request = stored ?? { identity: { userId: turn.userId }, agentName: "", input: [] };
    return createSuccess({ request, taken: { ...common, missing: [opening], hasProgress: true, ending } });
  };
  const leftBecause = (error: MemoryErrorUnion): Result<Resumption | LeftTurn> =>
    endOfLeft === undefined ? createSuccess({ leftBecause: error }) : endedAs(endOfLeft);
  if (decoded === "newer") return leftBecause(NEWER_REQUEST);
  if (stored === undefined) return endedAs(failedEnd(LOST));
  const agentName = agentOf(events, stored);
  const missingName = missingAgent(settings, { begun: stored.agentName, current: agentName });
  // A stopped turn ends without its agent.
  if (missingName !== undefined && !turn.stopRequested) return leftBecause(unknownAgent(missingName));
  const { conversationId, turnId } = turn;
  const selection = base.position === 0 ? "all" : { after: base.position - 1 };
  const read = await settings.provider.readConversation(conversationId, {
    messages: selection,
    ...(stored.edit === undefined ? {} : { receiptFor: editKey(turnId) }),
  });
  if (!read.success) return createFailure(read.error);
  const { conversation, incarnation } = read.data;
  if (conversation === null || incarnation !== base.incarnation) return endedAs(failedEnd(ERASED));
  const newer = newerFormatError(conversation);
  if (newer !== undefined) return leftBecause(newer);
  const isUnmade = stored.edit !== undefined && read.data.receipt === undefined;
  const version = conversation.metadata?.version;
  /** Ends a turn of which nothing is stored. Its message is stored before the end, unless the turn was refused. */
  const unstored = (ending: TurnEnd): Result<Resumption> => {
    // An edit isn't made. A refused turn that is in the log all the same was asked to stop.
    const hasProgress = isUnmade || turn.stopRequested;
    return createSuccess({
      request: stored,
      taken: { ...common, version, missing: [opening], hasProgress, ending },
    });
  };
  const traceId: unknown = conversation.metadata?.["traceId"];
  // A turn whose beginning reached the log late, after another turn, has written nothing.
  const isForeign = typeof traceId === "string" && traceId !== turnId;
  // Nothing of the turn is stored, and the messages that it was sent for have changed.
  if ((isUnmade || isForeign) && version !== base.version) {
    const { message } = refusal("changed");
    return unstored(failedEnd({ code: "MemoryError", message, retryable: false }));
  }
  // Messages that an unmade edit will replace aren't part of the turn.
  const messages = isUnmade ? [] : conversation.messages;
  // A stopped turn runs nothing more that could end its process.
  if (!turn.stopRequested && takeOversWithoutProgress(events) >= MAX_TAKE_OVERS_WITHOUT_PROGRESS)
    return messages.length > 0 ? endedAs(failedEnd(LOST)) : unstored(failedEnd(LOST));
  const taken = takenPositions(conversation);
  const inputs = new Set(messages.filter((_, index) => taken.has(read.data.firstPosition + index)));
  const results = await innerResults(settings, events);
  if (!results.success) return results;
  const missingHere = missingEvents({ messages, inputs, events, agentName: stored.agentName });
  const missing = [...results.data, ...missingHere];
  // The text that readers saw last is that of the message whose event is missing.
  const isStored = missingHere.some(({ type }) => type === "message");
  const stopped = { openText: isStored ? "" : openTextOf(events), agentName };
  return createSuccess({
    request: stored,
    taken: {
      ...common,
      version,
      // A stopped turn keeps the shown text, which its message then replaces.
      missing: turn.stopRequested && opening.type === "retract" ? missing : [opening, ...missing],
      hasProgress: messages.length > 0,
      ...(turn.stopRequested ? { stopped } : {}),
    },
  });
}

/**
 * Returns the first event that a take-over adds: `turn_start` if the turn has no events yet, and otherwise `retract`.
 */
export function openingOf({ conversationId, turnId, events }: LoggedTurn, stored?: StoredRequest): TurnEvent {
  // Removes the pieces of the reply that readers have seen so far.
  if (events > 0) return { type: "retract", reason: "taken-over" };
  const position = (stored?.base.position ?? 0) + (userMessagesOf(stored?.input ?? [])?.length ?? 0);
  return { type: "turn_start", turnId, conversationId, position, agentName: stored?.agentName ?? "" };
}

async function eventsOf<Ctx>(
  { log }: TurnSettings<Ctx>,
  { conversationId, turnId, events }: LoggedTurn,
): Promise<Result<readonly TurnEvent[]>> {
  const all: TurnEvent[] = [];
  while (all.length < events) {
    const page = await log.read({ conversationId, turnId, from: all.length, limit: PAGE });
    if (!page.success) return page;
    const texts = page.data?.events ?? [];
    if (texts.length === 0) break;
    for (const event of texts) all.push(decodeEvent(event));
  }
  return createSuccess(all);
}

/**
 * Counts the take-overs since the turn's last message or tool result. A take-over of a turn that its process has handed
 * over doesn't count, because the turn hasn't ended that process.
 */
function takeOversWithoutProgress(events: readonly TurnEvent[]): number {
  const last = events.findLastIndex((event) => {
    const { type } = event.type === "inner" ? event.event : event;
    return type === "message" || type === "tool_end";
  });
  const since = events.slice(last + 1);
  return since.filter(
    (event, at) => isRetract(event, "taken-over") && !isRetract(since[at - 1], "handed-over"),
  ).length;
}

const isRetract = (event: TurnEvent | undefined, reason: RetractEvent["reason"]): boolean =>
  event?.type === "retract" && event.reason === reason;

function openTextOf(events: readonly TurnEvent[]): string {
  const last = events.findLastIndex(({ type }) => type === "message" || type === "retract");
  return events
    .slice(last + 1)
    .map((event) => (event.type === "text" ? event.text : ""))
    .join("");
}

const agentOf = (events: readonly TurnEvent[], { agentName }: StoredRequest): string =>
  events.reduce((agent, event) => (event.type === "handoff" ? event.to : agent), agentName);

const callsOf = ({ tool_calls: calls }: Message) => calls ?? [];

interface ToldTurn {
  readonly messages: readonly Message[];
  /** Those of the messages that the turn has taken from the inbox. */
  readonly inputs: ReadonlySet<Message>;
  readonly events: readonly TurnEvent[];
  readonly agentName: string;
}

/** Returns events for the turn's stored messages that have no event yet. */
function missingEvents({ messages, inputs, events, agentName }: ToldTurn): readonly TurnEvent[] {
  // A process stores a message before the message's event, and may crash between these two writes.
  const sentMessages = events.flatMap((event) => (event.type === "message" ? [event.message] : []));
  const sentInputs = events.flatMap((event) => (event.type === "input" ? event.messages : []));
  const sentResults = events.flatMap((event) => (event.type === "tool_end" ? [event.toolCallId] : []));
  const names = new Map<string, string>();
  const missing: TurnEvent[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const call of callsOf(message)) names.set(call.id, call.function.name);
      // With other durabilities than "step", the replies before it can have been sent without being stored.
      const sentAt = sentMessages.findIndex((sent) => isSameReply(sent, message));
      sentMessages.splice(0, sentAt + 1);
      if (sentAt === -1) missing.push({ type: "message", agentName, message });
    }
    if (inputs.has(message)) {
      if (sentInputs.length > 0) sentInputs.shift();
      else missing.push({ type: "input", messages: [message] });
    }
    if (message.role !== "tool") continue;
    const id = message.tool_call_id ?? "";
    const sentAt = sentResults.indexOf(id);
    if (sentAt !== -1) sentResults.splice(sentAt, 1);
    else missing.push(resultEvent(message, names.get(id) ?? ""));
  }
  return missing;
}

/** Compares the texts and the calls of two replies. Media can be stored in another form than they were sent. */
const isSameReply = (one: Message, other: Message): boolean =>
  messageText(one) === messageText(other) && callIdsOf(one) === callIdsOf(other);

const callIdsOf = (message: Message): string => JSON.stringify(callsOf(message).map(({ id }) => id));

function resultEvent(message: Message, toolName: string): ToolEndEvent {
  const { content }: RichMessage = message;
  const result = messageText(message);
  const parts = typeof content === "string" || content === null ? undefined : content;
  return {
    type: "tool_end",
    toolCallId: message.tool_call_id ?? "",
    toolName,
    status: readToolResult(result)?.status ?? "success",
    durationMs: 0,
    result,
    ...present({ parts }),
  };
}

/** Returns events for the stored results of agents that run as tools, where the results have no event yet. */
async function innerResults<Ctx>(
  { provider }: TurnSettings<Ctx>,
  events: readonly TurnEvent[],
): Promise<Result<readonly InnerTurnEvent[]>> {
  const results: InnerTurnEvent[] = [];
  for (const { inner, id, toolName } of openInnerCalls(events)) {
    const { conversationId = "" } = inner;
    const read = await provider.readConversation(conversationId, { messages: { limit: PAGE } });
    if (!read.success) return createFailure(read.error);
    const messages = read.data.conversation?.messages ?? [];
    // An earlier call may have the same id.
    const calledAt = messages.findLastIndex((message) => callsOf(message).some((call) => call.id === id));
    const result = messages.find((message, at) => at > calledAt && message.tool_call_id === id);
    if (result !== undefined) results.push({ ...inner, event: resultEvent(result, toolName) });
  }
  return createSuccess(results);
}

interface OpenInnerCall {
  /** The last event about the call. */
  readonly inner: InnerTurnEvent;
  readonly id: string;
  readonly toolName: string;
}

/** Returns the calls of agents that run as tools that have no result so far, by the events. The deepest come first. */
function openInnerCalls(events: readonly TurnEvent[]): readonly OpenInnerCall[] {
  const open = new Map<string, OpenInnerCall>();
  for (const inner of events) {
    if (inner.type !== "inner" || inner.conversationId === undefined) continue;
    const { event, toolCallId } = inner;
    const add = (id: string, toolName: string) =>
      open.set(nestedCallId(toolCallId, id), { inner, id, toolName });
    if (event.type === "message")
      for (const call of callsOf(event.message)) add(call.id, calledTool(call).name);
    if (event.type === "tool_start") add(event.toolCallId, event.toolName);
    if (event.type === "tool_end") open.delete(nestedCallId(toolCallId, event.toolCallId));
  }
  // Readers take an agent's result for the end of its calls, so the results of these calls must come before it.
  return [...open.values()].sort((one, other) => other.inner.toolCallId.length - one.inner.toolCallId.length);
}
