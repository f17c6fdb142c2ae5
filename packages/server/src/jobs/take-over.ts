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
import { durabilityOf } from "./job-clients.ts";
import { endOfLeftTurn, type LeftTurn, missingAgent, NEWER_REQUEST, unknownAgent } from "./left-turn.ts";
import { missingEvents } from "./missing-events.ts";
import {
  type ConversationBase,
  decodeRequest,
  type StoredRequest,
  userMessagesOf,
} from "./stored-request.ts";
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
  takenOver: TakenOverTurn,
): Promise<Result<Resumption | LeftTurn>> {
  const { settings } = scope;
  const { turn } = takenOver;
  const decoded = decodeRequest(takenOver.request);
  // How the turn ends if this process can't continue it. `undefined`: it is left to another process.
  const endOfLeft = endOfLeftTurn(turn, settings);
  const sent = await eventsOf(settings, turn);
  if (!sent.success) return sent;
  const events = sent.data;
  const endedAs = (ending: TurnEnd, known?: KnownProgress): Result<Resumption> => {
    const { request, taken } = toEnd(takenOver, ending, known);
    return createSuccess({ request, taken: { ...taken, sentEvents: events } });
  };
  const leftBecause = (error: MemoryErrorUnion, known?: KnownProgress): Result<Resumption | LeftTurn> =>
    endOfLeft === undefined ? createSuccess({ leftBecause: error }) : endedAs(endOfLeft, known);
  if (decoded === "newer") return leftBecause(NEWER_REQUEST);
  if (decoded === undefined) return endedAs(failedEnd(LOST));
  const stored = decoded;
  const { base } = stored;
  const agentName = agentOf(events, stored);
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
  const traceId: unknown = conversation.metadata?.["traceId"];
  // A turn whose beginning reached the log late, after another turn, has written nothing.
  const isForeign = typeof traceId === "string" && traceId !== turnId;
  // Messages that an unmade edit will replace aren't part of the turn.
  const messages = isUnmade ? [] : conversation.messages;
  // Without progress, the end stores the user's messages. An unmade edit isn't made.
  const known = { version, hasProgress: messages.length > 0 || isUnmade };
  // Nothing of the turn is stored, and the messages that it was sent for have changed.
  if ((isUnmade || isForeign) && version !== base.version) {
    const { message } = refusal("changed");
    // A refused turn that is in the log all the same was asked to stop.
    const hasProgress = isUnmade || turn.stopRequested;
    return endedAs(failedEnd({ code: "MemoryError", message, retryable: false }), { version, hasProgress });
  }
  // A stopped turn ends without its agent, and runs nothing more that could end its process.
  if (!turn.stopRequested) {
    const missingName = missingAgent(settings, { begun: stored.agentName, current: agentName });
    if (missingName !== undefined) return leftBecause(unknownAgent(missingName), known);
    if (isDeadly(events, { startsOver: durabilityOf(settings) !== "step" }))
      return endedAs(failedEnd(LOST), known);
  }
  const taken = takenPositions(conversation);
  const inputs = new Set(messages.filter((_, index) => taken.has(read.data.firstPosition + index)));
  const results = await innerResults(settings, events);
  if (!results.success) return results;
  const missingHere = missingEvents({ messages, inputs, events, agentName: stored.agentName });
  const missing = [...results.data, ...missingHere];
  // The text that readers saw last is that of the message whose event is missing.
  const isStored = missingHere.some(({ type }) => type === "message");
  const opening = openingOf(turn, stored);
  const stopped = { openText: isStored ? "" : openTextOf(events), agentName };
  return createSuccess({
    request: stored,
    taken: {
      ...heldBy(takenOver, base),
      sentEvents: events,
      version,
      // A stopped turn keeps the shown text, which its message then replaces.
      missing: turn.stopRequested && opening.type === "retract" ? missing : [opening, ...missing],
      hasProgress: messages.length > 0,
      ...(turn.stopRequested ? { stopped } : {}),
    },
  });
}

const heldBy = ({ writer, turn }: TakenOverTurn, base: ConversationBase) => ({
  ...{ writer, first: turn.events, base, startedAt: turn.startedAt },
});

type KnownProgress = Pick<TakenJob, "hasProgress" | "version">;

/**
 * Returns what a job needs to end a turn that no process can continue. If it has no progress, the job stores the user's
 * messages before the end.
 */
export function toEnd(
  takenOver: TakenOverTurn,
  ending: TurnEnd,
  known: KnownProgress = { hasProgress: true, version: undefined },
): Resumption {
  const { turn, request: text } = takenOver;
  const decoded = decodeRequest(text);
  const stored = decoded === "newer" ? undefined : decoded;
  const base = stored?.base ?? { position: 0, version: 0, incarnation: "" };
  return {
    request: stored ?? { identity: { userId: turn.userId }, agentName: "", input: [] },
    taken: {
      ...{ ...heldBy(takenOver, base), ...known, ending },
      ...{ sentEvents: [], missing: [openingOf(turn, stored)] },
    },
  };
}

/**
 * Returns the first event that a take-over adds: `turn_start` if the turn has no events yet, and otherwise `retract`.
 */
function openingOf({ conversationId, turnId, events }: LoggedTurn, stored?: StoredRequest): TurnEvent {
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
