import { newerFormatError, takenPositions } from "@jaf/core/internal";
import type { MemoryErrorUnion, Result } from "@jaf/memory";
import type { LoggedTurn, TakenOverTurn } from "@jaf/memory/adapter";
import { createFailure, createSuccess } from "@jaf/memory/internal";
import { decodeEvent } from "../turns/encoded-event.ts";
import { ERASED, failedEnd, LOST } from "../turns/turn-ends.ts";
import { refusal } from "../turns/turn-errors.ts";
import type { TurnEnd, TurnEvent } from "../turns/turn-event.ts";
import { isDeadly } from "./deadly-turn.ts";
import { editKey } from "./edit.ts";
import { innerResults } from "./inner-results.ts";
import type { JobScope, TakenJob } from "./job.ts";
import { endOfLeftTurn, type LeftTurn, missingAgent, NEWER_REQUEST, unknownAgent } from "./left-turn.ts";
import { missingEvents } from "./missing-events.ts";
import { decodeRequest, type StoredRequest, userMessagesOf } from "./stored-request.ts";
import type { TurnSettings } from "./turn-options.ts";

const PAGE = 1_000;

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
  if (!turn.stopRequested && isDeadly(events))
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

function openTextOf(events: readonly TurnEvent[]): string {
  const last = events.findLastIndex(({ type }) => type === "message" || type === "retract");
  return events
    .slice(last + 1)
    .map((event) => (event.type === "text" ? event.text : ""))
    .join("");
}

const agentOf = (events: readonly TurnEvent[], { agentName }: StoredRequest): string =>
  events.reduce((agent, event) => (event.type === "handoff" ? event.to : agent), agentName);
