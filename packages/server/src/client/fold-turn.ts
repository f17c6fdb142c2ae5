import type { ContextManifest, ModelUsage } from "@jaf/core";
import type { Message } from "@jaf/memory";
import { isGrowing, joinedPiece, type ReplyPiece } from "../turns/pieces.ts";
import type {
  ModelCallEvent,
  RetractEvent,
  TurnEnd,
  TurnError,
  TurnEvent,
  TurnMessageEvent,
} from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import {
  type TurnItem,
  type WaitingCall,
  withInner,
  withInterruption,
  withMessageItem,
  withResultOf,
  withToolEnd,
  withToolStart,
} from "./turn-items.ts";

/**
 * A piece of a reply in progress: text, reasoning, another part, or a tool call that the model is writing
 * (`tool_arguments`, with the arguments so far). Adjacent text is joined into one piece, and so is adjacent reasoning.
 * Each tool call is one piece, which a `ToolItem` replaces once the call is complete.
 */
export type Piece = ReplyPiece;

/** A turn, ready for display. Show `items` first, and `pieces` after them: no text is in both. */
export interface FoldedTurn {
  readonly turnId: string | undefined;
  readonly conversationId: string | undefined;
  /**
   * Position of the first message that the turn adds after the user's input. The items show the stored messages from here
   * on. Absent: unknown.
   */
  readonly position?: number;
  /** Name of the current agent. */
  readonly agentName: string | undefined;
  /** Number of events that were added so far. This is the number of the next event. */
  readonly events: number;
  /**
   * `"starting"`: no event has arrived. `"running"`: the turn runs. Other values: how the turn ended, see `TurnEnd`.
   */
  readonly status: "starting" | "running" | TurnEnd["status"];
  /** Messages, inputs, tool calls and handoffs, in order. */
  readonly items: readonly TurnItem[];
  /** Pieces of the reply in progress, to show after all items. */
  readonly pieces: readonly Piece[];
  /**
   * Why the pieces of the reply were removed, after a `retract` event. The next piece, the next message or the turn's
   * end changes it to `undefined`.
   */
  readonly retracted: RetractEvent["reason"] | undefined;
  /** The messages of `message` events (the agents' replies), in order. */
  readonly messages: readonly Message[];
  /** For each model call, which messages the model got, and why it didn't get the others. */
  readonly contexts: readonly ContextManifest[];
  /** The model calls that have ended, in order. */
  readonly modelCalls: readonly ModelCallEvent[];
  /** The tool calls that wait for an approval or for the client. */
  readonly interruptions: readonly WaitingCall[];
  /** Why the turn failed. Present only with status `error`. */
  readonly error?: TurnError;
  readonly usage?: ModelUsage;
  /** The decoded output, if the agent has an `outputCodec`. */
  readonly output?: unknown;
  /** The conversation's version after the turn. Absent while the turn runs, or if unknown. */
  readonly version?: number;
}

/**
 * A turn without events. Use it as the initial value for {@link foldTurn}.
 *
 * @example
 * ```ts
 * import { createJafClient, emptyTurn, foldTurn } from "@jaf/server/client";
 *
 * const client = createJafClient({ baseUrl: "http://127.0.0.1:3000" });
 * let turn = emptyTurn;
 * for await (const event of client.chat({ message: "Hi" })) turn = foldTurn(turn, event);
 * console.log(turn.status, turn.items);
 * ```
 */
export const emptyTurn: FoldedTurn = {
  turnId: undefined,
  conversationId: undefined,
  agentName: undefined,
  events: 0,
  status: "starting",
  items: [],
  pieces: [],
  retracted: undefined,
  messages: [],
  contexts: [],
  modelCalls: [],
  interruptions: [],
};

/**
 * Returns a copy of `turn` with one more event. Ignores an event that was already added. Pass all events in order: the
 * next event has the number `turn.events`. The methods of `JafClient` yield all events in order.
 *
 * @example
 * ```ts
 * import { createJafClient, emptyTurn, foldTurn } from "@jaf/server/client";
 *
 * const client = createJafClient({ baseUrl: "http://127.0.0.1:3000" });
 * let turn = emptyTurn;
 * for await (const event of client.chat({ message: "What is 6 * 7?" })) {
 *   turn = foldTurn(turn, event);
 *   console.log(turn.items, turn.pieces);
 * }
 * ```
 */
export function foldTurn(turn: FoldedTurn, { number, event }: NumberedEvent): FoldedTurn {
  if (number < turn.events) return turn;
  return { ...apply(turn, event), events: number + 1 };
}

/**
 * Checks whether the turn hasn't ended, so that more events will come.
 *
 * @example
 * ```ts
 * import { type FoldedTurn, isRunning } from "@jaf/server/client";
 *
 * export const labelOf = (turn: FoldedTurn): string => (isRunning(turn) ? "Stop" : "Send");
 * ```
 */
export const isRunning = ({ status }: FoldedTurn): boolean => status === "starting" || status === "running";

function apply(turn: FoldedTurn, event: TurnEvent): FoldedTurn {
  switch (event.type) {
    case "turn_start": {
      const { type: _, ...ids } = event;
      return { ...turn, ...ids, status: "running" };
    }
    case "text":
    case "reasoning":
    case "part":
    case "tool_arguments":
      return { ...turn, pieces: withPiece(turn.pieces, event), retracted: undefined };
    case "retract":
      return { ...turn, pieces: [], retracted: event.reason };
    case "message":
      return withMessage(turn, event);
    case "input": {
      const inputs = event.messages.map((message) => ({ type: "input", message }) as const);
      return { ...turn, items: [...turn.items, ...inputs] };
    }
    case "tool_start":
      return { ...turn, items: withToolStart(turn.items, event) };
    case "tool_end":
      return { ...turn, items: withToolEnd(turn.items, event) };
    case "interruption":
      return withWaiting(turn, event.interruption as WaitingCall);
    case "handoff": {
      const { from, to } = event;
      return { ...turn, agentName: to, items: [...turn.items, { type: "handoff", from, to }] };
    }
    case "inner":
      return { ...turn, items: withInner(turn.items, event) };
    case "context":
      return { ...turn, contexts: [...turn.contexts, event.manifest] };
    case "model_call":
      return { ...turn, modelCalls: [...turn.modelCalls, event] };
    case "turn_end":
      return ended(turn, event);
    default:
      return turn; // Newer servers may send other events.
  }
}

function withPiece(pieces: readonly Piece[], piece: Piece): readonly Piece[] {
  // A call can go on behind other pieces, e.g. of a call that the model writes at the same time.
  const at =
    piece.type === "tool_arguments"
      ? pieces.findLastIndex((each) => each.type === piece.type && each.index === piece.index)
      : pieces.length - 1;
  const joined = isGrowing(piece) ? joinedPiece(pieces[at], piece) : undefined;
  return joined === undefined ? [...pieces, piece] : pieces.with(at, joined);
}

function withMessage(turn: FoldedTurn, event: TurnMessageEvent): FoldedTurn {
  const { message } = event;
  const messages = [...turn.messages, message];
  if (message.role === "tool") return { ...turn, messages, items: withResultOf(turn.items, message) };
  return { ...turn, messages, items: withMessageItem(turn.items, event), pieces: [], retracted: undefined };
}

function withWaiting(turn: FoldedTurn, waiting: WaitingCall): FoldedTurn {
  const others = turn.interruptions.filter(({ toolCallId }) => toolCallId !== waiting.toolCallId);
  return {
    ...turn,
    interruptions: [...others, waiting],
    items: withInterruption(turn.items, waiting),
  };
}

/** Adds the event of the turn's end. Keeps the pieces that no message has replaced. */
function ended(turn: FoldedTurn, event: TurnEnd): FoldedTurn {
  const { type: _, status, error, interruptions = [], output, version, usage } = event;
  // Text that is shown must not disappear, even if it isn't part of the stored conversation.
  const waiting = (interruptions as readonly WaitingCall[]).reduce(withWaiting, turn);
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
