import type {
  ApprovalRequest,
  ClientToolCall,
  ContextManifest,
  ModelUsage,
  ToolResultStatus,
} from "@jaf/core";
import type { ContentPart, Message } from "@jaf/memory";
import { isGrowing, joinedPiece, type ReplyPiece } from "../turns/pieces.ts";
import type {
  ModelCallEvent,
  RetractEvent,
  ToolEndEvent,
  ToolStartEvent,
  TurnEnd,
  TurnError,
  TurnEvent,
  TurnMessageEvent,
} from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import type { Serialized } from "./http.ts";

/**
 * A tool call that waits for an approval. Send the user's decision with `ChatRequest.approvals`. `expiresAt` is an ISO
 * 8601 string.
 */
export interface WaitingApproval extends Serialized<ApprovalRequest> {}

/** A tool call that your client must run. Send the result with `ChatRequest.toolResults`. */
export interface WaitingClientTool extends Serialized<ClientToolCall> {}

/**
 * A tool call that waits for an approval or for the client: an `Interruption` of `@jaf/core`, with dates as strings.
 */
export type WaitingCall = WaitingApproval | WaitingClientTool;

/**
 * A piece of a reply in progress: text, reasoning, another part, or a tool call that the model is writing
 * (`tool_arguments`, with the arguments so far). Adjacent text is joined into one piece, and so is adjacent reasoning.
 * Each tool call is one piece, which a `ToolItem` replaces once the call is complete.
 */
export type Piece = ReplyPiece;

/**
 * The state of a tool call.
 *
 * - `"called"`: a reply contains the call, but the tool hasn't started.
 * - `"running"`: the tool runs.
 * - `"waiting"`: the call waits for an approval or for the client's result; `waitsFor` says for which.
 * - Other values: the call has ended with this status, see `ToolResultStatus`.
 */
export type ToolState = "called" | "running" | "waiting" | ToolResultStatus;

/** A tool call of the turn. */
export interface ToolItem {
  readonly type: "tool";
  readonly toolCallId: string;
  readonly toolName: string;
  /** The parsed arguments, once the tool has started or the call waits. Until then, the text that the model wrote. */
  readonly args: unknown;
  readonly state: ToolState;
  /** The result as the model sees it, once the call has ended. If the result consists of parts, this is their text. */
  readonly result?: string;
  /** The parts of the result, if it consists of parts (e.g. text and an image). */
  readonly parts?: readonly ContentPart[];
  readonly durationMs?: number;
  /** The approval or client tool that the call waits for. Present only in the state `"waiting"`. */
  readonly waitsFor?: WaitingCall;
  /** How often the tool has started for this call. More than 1 if another process took over the turn. */
  readonly starts: number;
}

/** A message in `FoldedTurn.items`, for display. */
export interface MessageItem {
  readonly type: "message";
  readonly agentName: string;
  /** A message of the turn, e.g. a reply of the agent. Tool results are in `ToolItem` instead. */
  readonly message: Message;
  /** Present if the turn was stopped: the message may be incomplete. */
  readonly stopped?: true;
}

/** The change from one agent to another. */
export interface HandoffItem {
  readonly type: "handoff";
  readonly from: string;
  readonly to: string;
}

/** An item of a turn that you can show. */
export type TurnItem = MessageItem | ToolItem | HandoffItem;

/** A turn, ready for display. Show `items` first, and `pieces` after them: no text is in both. */
export interface FoldedTurn {
  readonly turnId: string | undefined;
  readonly conversationId: string | undefined;
  /** Name of the current agent. */
  readonly agentName: string | undefined;
  /** Number of events that were added so far. This is the number of the next event. */
  readonly events: number;
  /**
   * `"starting"`: no event has arrived. `"running"`: the turn runs. Other values: how the turn ended, see `TurnEnd`.
   */
  readonly status: "starting" | "running" | TurnEnd["status"];
  /** Messages, tool calls and handoffs, in order. */
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
      const { turnId, conversationId, agentName } = event;
      return { ...turn, turnId, conversationId, agentName, status: "running" };
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
  const { agentName, message, stopped } = event;
  const messages = [...turn.messages, message];
  if (message.role === "tool") return { ...turn, messages, items: withResultOf(turn.items, message) };
  const item: TurnItem = {
    type: "message",
    agentName,
    message,
    ...(stopped === undefined ? {} : { stopped }),
  };
  const items = withCallsOf([...turn.items, item], message);
  return { ...turn, messages, items, pieces: [], retracted: undefined };
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

interface CalledTool {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

const OPEN: ReadonlySet<string> = new Set(["called", "running", "waiting"]);

/** Checks whether the call has no result yet. */
const isOpen = ({ state }: ToolItem): boolean => OPEN.has(state);

/** Changes the last call that has this id and no result. If no such call exists, adds a call and changes it. */
function withCall(
  items: readonly TurnItem[],
  { toolCallId, toolName, args }: CalledTool,
  change: (item: ToolItem) => ToolItem,
): readonly TurnItem[] {
  const index = items.findLastIndex(
    (item) => item.type === "tool" && item.toolCallId === toolCallId && isOpen(item),
  );
  // A call with a result stays unchanged: the model may use its id again for a new call.
  const found = items[index];
  if (found?.type === "tool") return items.with(index, change(found));
  return [...items, change({ type: "tool", toolCallId, toolName, args, state: "called", starts: 0 })];
}

/** Adds the tool calls of a reply to the items. */
function withCallsOf(items: readonly TurnItem[], message: Message): readonly TurnItem[] {
  return callsIn(message).reduce((all, call) => withCall(all, call, (item) => item), items);
}

/** Adds the result in a tool message to the item of its call. Does nothing if the item already has a result. */
function withResultOf(items: readonly TurnItem[], { tool_call_id, content }: Message) {
  // A result from a `tool_end` event has more details than a tool message.
  const index = items.findLastIndex(
    (item) => item.type === "tool" && item.toolCallId === tool_call_id && isOpen(item),
  );
  const found = items[index];
  if (found?.type !== "tool") return items;
  const { waitsFor: _, ...item } = found;
  return items.with(index, { ...item, state: "success", result: textOf(content) });
}

function withToolStart(items: readonly TurnItem[], event: ToolStartEvent): readonly TurnItem[] {
  return withCall(items, event, ({ waitsFor: _, ...item }) => ({
    ...item,
    args: event.args,
    state: "running",
    starts: item.starts + 1,
  }));
}

function withToolEnd(items: readonly TurnItem[], event: ToolEndEvent): readonly TurnItem[] {
  const { toolCallId, toolName, status, durationMs, result, parts } = event;
  return withCall(items, { toolCallId, toolName, args: undefined }, ({ waitsFor: _, ...item }) => ({
    ...item,
    state: status,
    durationMs,
    result,
    ...(parts === undefined ? {} : { parts }),
  }));
}

function withInterruption(items: readonly TurnItem[], waitsFor: WaitingCall): readonly TurnItem[] {
  return withCall(items, waitsFor, (item) => ({ ...item, args: waitsFor.args, state: "waiting", waitsFor }));
}

/**
 * Returns the tool calls of a message, including calls of tools whose input is plain text. `args` is the text that the
 * model wrote.
 *
 * @example
 * ```ts
 * import { callsIn, type FoldedTurn } from "@jaf/server/client";
 *
 * declare const turn: FoldedTurn;
 *
 * for (const { toolName, args } of turn.messages.flatMap(callsIn)) console.log(toolName, args);
 * ```
 */
export function callsIn({ tool_calls = [] }: Message): readonly CalledTool[] {
  return (tool_calls ?? []).map((call: LooseCall) => ({
    toolCallId: call.id,
    toolName: call.function?.name ?? call.custom?.name ?? "",
    args: call.function?.arguments ?? call.custom?.input,
  }));
}

interface LooseCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
  readonly custom?: { readonly name: string; readonly input: string };
}

/** Returns a message's content as text. A list of parts becomes JSON, and missing content becomes `""`. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return content === null || content === undefined ? "" : JSON.stringify(content);
}
