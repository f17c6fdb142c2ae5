import type { TurnEvent } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { withCallsOf, withInterruption, withResultOf, withToolEnd, withToolStart } from "./tool-items.ts";
import type { Piece, TurnItem, TurnView, WaitingCall } from "./turn-view.ts";

/**
 * The view with one more event. An event that is in it already changes nothing, so events may come again, e.g. from two
 * connections; the next one must be the one with the number `view.events`, which `follow` sees to. Pure.
 */
export function foldTurn(view: TurnView, { number, event }: NumberedEvent): TurnView {
  if (number < view.events) return view;
  return { ...apply(view, event), events: number + 1 };
}

function apply(view: TurnView, event: TurnEvent): TurnView {
  switch (event.type) {
    case "turn_start": {
      const { turnId, conversationId, agentName } = event;
      return { ...view, turnId, conversationId, agentName, status: "running" };
    }
    case "text":
    case "reasoning":
    case "part":
      return { ...view, pieces: withPiece(view.pieces, event), retracted: undefined };
    case "retract":
      return { ...view, pieces: [], retracted: event.reason };
    case "message":
      return withMessage(view, event);
    case "tool_start":
      return { ...view, items: withToolStart(view.items, event) };
    case "tool_end":
      return { ...view, items: withToolEnd(view.items, event) };
    case "interruption":
      return withWaiting(view, event.interruption as WaitingCall);
    case "handoff": {
      const { from, to } = event;
      return { ...view, agentName: to, items: [...view.items, { type: "handoff", from, to }] };
    }
    case "context":
      return { ...view, contexts: [...view.contexts, event.manifest] };
    case "model_call":
      return { ...view, modelCalls: [...view.modelCalls, event] };
    case "turn_end":
      return ended(view, event);
    default:
      return view; // A later version of the server tells more.
  }
}

function withPiece(pieces: readonly Piece[], piece: Piece): readonly Piece[] {
  const last = pieces.at(-1);
  if (piece.type === "part" || last?.type !== piece.type) return [...pieces, piece];
  return pieces.with(-1, { ...last, text: last.text + piece.text });
}

function withMessage(view: TurnView, event: Extract<TurnEvent, { readonly type: "message" }>): TurnView {
  const { agentName, message, stopped } = event;
  const messages = [...view.messages, message];
  if (message.role === "tool") return { ...view, messages, items: withResultOf(view.items, message) };
  const item: TurnItem = {
    type: "message",
    agentName,
    message,
    ...(stopped === undefined ? {} : { stopped }),
  };
  const items = withCallsOf([...view.items, item], message);
  return { ...view, messages, items, pieces: [], retracted: undefined };
}

function withWaiting(view: TurnView, waiting: WaitingCall): TurnView {
  const others = view.interruptions.filter(({ toolCallId }) => toolCallId !== waiting.toolCallId);
  return {
    ...view,
    interruptions: [...others, waiting],
    items: withInterruption(view.items, waiting),
  };
}

/** Pieces that no message took the place of stay: nothing that was shown disappears, and whether it is kept the status tells. */
function ended(view: TurnView, event: Extract<TurnEvent, { readonly type: "turn_end" }>): TurnView {
  const { type: _, status, error, interruptions = [], output, version, usage } = event;
  const waiting = (interruptions as readonly WaitingCall[]).reduce(withWaiting, view);
  return {
    ...waiting,
    status,
    retracted: undefined,
    ...(error === undefined ? {} : { error }),
    ...(output === undefined ? {} : { output }),
    ...(version === undefined ? {} : { version }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Whether more is to come. */
export const isRunning = ({ status }: TurnView): boolean => status === "starting" || status === "running";
