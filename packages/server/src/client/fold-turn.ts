import type { ContextManifest, Interruption, ModelUsage, ToolResultStatus } from "@jaf/core";
import type { ContentPart, Message } from "@jaf/memory";
import type { TurnEnd, TurnError, TurnEvent } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import type { Serialized } from "./http.ts";

/** What a call waits for, as JSON has it: `expiresAt` is an ISO text. */
export type WaitingCall = Serialized<Interruption>;

/** A part of a reply on its way. Neighbouring pieces of text, or of reasoning, are one. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "part"; readonly part: ContentPart };

/**
 * - `"called"`: the reply asks for it; it hasn't begun.
 * - `"waiting"`: for an approval or for the client's result, see `waitsFor`.
 * - the others: it has ended, see `ToolResultStatus`.
 */
export type ToolState = "called" | "running" | "waiting" | ToolResultStatus;

export interface ToolItem {
  readonly type: "tool";
  readonly toolCallId: string;
  readonly toolName: string;
  /** Parsed, once the call has begun; before that as the model wrote them. */
  readonly args: unknown;
  readonly state: ToolState;
  readonly result?: string;
  readonly parts?: readonly ContentPart[];
  readonly durationMs?: number;
  readonly waitsFor?: WaitingCall;
  /** How often it began: more than once where another process went on with the turn. */
  readonly starts: number;
}

export interface MessageItem {
  readonly type: "message";
  readonly agentName: string;
  /** Of the user or of the assistant. Results of tools are with their calls. */
  readonly message: Message;
  readonly stopped?: true;
}

export interface HandoffItem {
  readonly type: "handoff";
  readonly from: string;
  readonly to: string;
}

export type TurnItem = MessageItem | ToolItem | HandoffItem;

export type ModelCallEvent = Extract<TurnEvent, { readonly type: "model_call" }>;

/** What a page shows of a turn. Everything that was said is in it once: as an item, or as a piece of the reply on its way. */
export interface FoldedTurn {
  readonly turnId: string | undefined;
  readonly conversationId: string | undefined;
  /** Who speaks now. */
  readonly agentName: string | undefined;
  /** How many events are folded: the next has this number. */
  readonly events: number;
  readonly status: "starting" | "running" | TurnEnd["status"];
  /** In order. */
  readonly items: readonly TurnItem[];
  /** Of the reply on its way, after all items. */
  readonly pieces: readonly Piece[];
  /** Why the last pieces were removed, until others come. */
  readonly retracted: Extract<TurnEvent, { readonly type: "retract" }>["reason"] | undefined;
  /** All messages of the turn, in order, with results of tools. */
  readonly messages: readonly Message[];
  /** What each model call was given. */
  readonly contexts: readonly ContextManifest[];
  readonly modelCalls: readonly ModelCallEvent[];
  readonly interruptions: readonly WaitingCall[];
  readonly error?: TurnError;
  readonly usage?: ModelUsage;
  readonly output?: unknown;
  /** The conversation's version after the turn. */
  readonly version?: number;
}

/** A turn of which nothing is known yet. */
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
 * The turn with one more event. An event that is in it already changes nothing, so events may come again, e.g. from two
 * connections; the next one must be the one with the number `turn.events`, which `follow` sees to. Pure.
 */
export function foldTurn(turn: FoldedTurn, { number, event }: NumberedEvent): FoldedTurn {
  if (number < turn.events) return turn;
  return { ...apply(turn, event), events: number + 1 };
}

/** Whether more is to come. */
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
      return turn; // A later version of the server tells more.
  }
}

function withPiece(pieces: readonly Piece[], piece: Piece): readonly Piece[] {
  const last = pieces.at(-1);
  if (piece.type === "part" || last?.type !== piece.type) return [...pieces, piece];
  return pieces.with(-1, { ...last, text: last.text + piece.text });
}

function withMessage(turn: FoldedTurn, event: Extract<TurnEvent, { readonly type: "message" }>): FoldedTurn {
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

/** Pieces that no message took the place of stay: nothing that was shown disappears, and whether it is kept the status tells. */
function ended(turn: FoldedTurn, event: Extract<TurnEvent, { readonly type: "turn_end" }>): FoldedTurn {
  const { type: _, status, error, interruptions = [], output, version, usage } = event;
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

/** Whether the call has no result yet. */
const isOpen = ({ state }: ToolItem): boolean => OPEN.has(state);

/**
 * Changes the last call of this id that has no result, or adds one. Models use ids again, so a call that has its result stays as
 * it is.
 */
function withCall(
  items: readonly TurnItem[],
  { toolCallId, toolName, args }: CalledTool,
  change: (item: ToolItem) => ToolItem,
): readonly TurnItem[] {
  const index = items.findLastIndex(
    (item) => item.type === "tool" && item.toolCallId === toolCallId && isOpen(item),
  );
  const found = items[index];
  if (found?.type === "tool") return items.with(index, change(found));
  return [...items, change({ type: "tool", toolCallId, toolName, args, state: "called", starts: 0 })];
}

/** With the calls that a reply asks for. */
function withCallsOf(items: readonly TurnItem[], message: Message): readonly TurnItem[] {
  return callsIn(message).reduce((all, call) => withCall(all, call, (item) => item), items);
}

/** With the result of a call, unless it is there: `tool_end` has told it, and more. */
function withResultOf(items: readonly TurnItem[], { tool_call_id, content }: Message) {
  const index = items.findLastIndex(
    (item) => item.type === "tool" && item.toolCallId === tool_call_id && isOpen(item),
  );
  const found = items[index];
  if (found?.type !== "tool") return items;
  const { waitsFor: _, ...item } = found;
  return items.with(index, { ...item, state: "success", result: textOf(content) });
}

function withToolStart(
  items: readonly TurnItem[],
  event: Extract<TurnEvent, { readonly type: "tool_start" }>,
): readonly TurnItem[] {
  return withCall(items, event, ({ waitsFor: _, ...item }) => ({
    ...item,
    args: event.args,
    state: "running",
    starts: item.starts + 1,
  }));
}

function withToolEnd(
  items: readonly TurnItem[],
  event: Extract<TurnEvent, { readonly type: "tool_end" }>,
): readonly TurnItem[] {
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

/** The tool calls of a message, also of other kinds than functions. */
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

/** A content may come in parts, or be missing. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return content === null || content === undefined ? "" : JSON.stringify(content);
}
