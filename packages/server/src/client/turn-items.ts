import type { ApprovalRequest, ClientToolCall, ToolResultStatus } from "@jaf/core";
import type { ContentPart, Message } from "@jaf/memory";
import type { InnerTurnEvent, ToolEndEvent, ToolStartEvent, TurnMessageEvent } from "../turns/turn-event.ts";
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
 * The state of a tool call.
 *
 * - `"called"`: a reply contains the call, but the tool hasn't started.
 * - `"running"`: the tool runs.
 * - `"waiting"`: the call waits for an approval or for the client's result; `waitsFor` says for which. A call that runs an
 *   agent waits if a call of the agent does; see `ToolItem.inner`.
 * - Other values: the call has ended with this status, see `ToolResultStatus`.
 */
export type ToolState = "called" | "running" | "waiting" | ToolResultStatus;

/** A tool call of the turn. */
export interface ToolItem {
  readonly type: "tool";
  /** The call's id. That of a call in `inner` is as in the `toolCallId` of an `Interruption`, e.g. `"call_1/call_7"`. */
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
  /** The approval or client tool that the call itself waits for. Present only in the state `"waiting"`. */
  readonly waitsFor?: WaitingCall;
  /**
   * What the agent did that the tool runs (see `asTool` of `@jaf/core`), in order: its replies with tool calls, these calls,
   * and handoffs. Absent: nothing, or the tool runs no agent.
   */
  readonly inner?: readonly TurnItem[];
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

/** A message that the turn has taken from the conversation's inbox: the user's, a timer's or that of other work. */
export interface InputItem {
  readonly type: "input";
  /** If the user didn't send it, its field `from` is `"timer"` or `"work"`. */
  readonly message: Message;
}

/** The change from one agent to another. */
export interface HandoffItem {
  readonly type: "handoff";
  readonly from: string;
  readonly to: string;
}

/** An item of a turn that you can show. */
export type TurnItem = MessageItem | InputItem | ToolItem | HandoffItem;

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

/** Adds a reply and its tool calls to the items. */
export function withMessageItem(
  items: readonly TurnItem[],
  { agentName, message, stopped }: TurnMessageEvent,
): readonly TurnItem[] {
  const item: TurnItem = {
    type: "message",
    agentName,
    message,
    ...(stopped === undefined ? {} : { stopped }),
  };
  return withCalls([...items, item], callsIn(message));
}

/** Adds the tool calls of a reply to the items. */
const withCalls = (items: readonly TurnItem[], calls: readonly CalledTool[]): readonly TurnItem[] =>
  calls.reduce((all, call) => withCall(all, call, (item) => item), items);

/** Returns the id that a call of an agent has in the turn; as `nestedCallId` of `@jaf/core`. */
const nestedId = (outerId: string, innerId: string): string => `${outerId}/${innerId}`;

/** Changes the last call that runs, or has run, the agent whose call has this id. `undefined`: there is none. */
function withAgentOf(
  items: readonly TurnItem[],
  toolCallId: string,
  change: (agentCall: ToolItem) => ToolItem,
): readonly TurnItem[] | undefined {
  const index = items.findLastIndex(
    (item) => item.type === "tool" && toolCallId.startsWith(nestedId(item.toolCallId, "")),
  );
  const found = items[index];
  return found?.type === "tool" ? items.with(index, change(found)) : undefined;
}

/** Adds an event of an agent that runs as a tool to the call that runs it. */
export function withInner(
  items: readonly TurnItem[],
  { toolCallId, event }: InnerTurnEvent,
): readonly TurnItem[] {
  const outer = withAgentOf(items, toolCallId, (item) => ({
    ...item,
    inner: withInner(item.inner ?? [], { type: "inner", toolCallId, event }),
  }));
  if (outer !== undefined) return outer;
  const called = { toolCallId, toolName: "", args: undefined };
  return withCall(items, called, (item) => ({
    ...item,
    inner: withInnerEvent(item.inner ?? [], toolCallId, event),
  }));
}

function withInnerEvent(
  items: readonly TurnItem[],
  toolCallId: string,
  event: InnerTurnEvent["event"],
): readonly TurnItem[] {
  const nested = <Call extends CalledTool>(call: Call): Call => ({
    ...call,
    toolCallId: nestedId(toolCallId, call.toolCallId),
  });
  switch (event.type) {
    case "message":
      return withCalls([...items, event], callsIn(event.message).map(nested));
    case "tool_start":
      return withToolStart(items, nested(event));
    case "tool_end":
      return withToolEnd(items, nested({ ...event, args: undefined }));
    case "handoff":
      return [...items, event];
    default:
      return items; // A model call, or an event of a newer server.
  }
}

/** Adds the result in a tool message to the item of its call. Does nothing if the item already has a result. */
export function withResultOf(items: readonly TurnItem[], { tool_call_id, content }: Message) {
  // A result from a `tool_end` event has more details than a tool message.
  const index = items.findLastIndex(
    (item) => item.type === "tool" && item.toolCallId === tool_call_id && isOpen(item),
  );
  const found = items[index];
  if (found?.type !== "tool") return items;
  const { waitsFor: _, ...item } = found;
  return items.with(index, { ...item, state: "success", result: textOf(content) });
}

export function withToolStart(items: readonly TurnItem[], event: ToolStartEvent): readonly TurnItem[] {
  return withCall(items, event, ({ waitsFor: _, ...item }) => ({
    ...item,
    args: event.args,
    state: "running",
    starts: item.starts + 1,
  }));
}

export function withToolEnd(items: readonly TurnItem[], event: ToolEndEvent): readonly TurnItem[] {
  const { toolCallId, toolName, status, durationMs, result, parts } = event;
  return withCall(items, { toolCallId, toolName, args: undefined }, ({ waitsFor: _, ...item }) => ({
    ...item,
    state: status,
    durationMs,
    result,
    ...(parts === undefined ? {} : { parts }),
  }));
}

export function withInterruption(items: readonly TurnItem[], waitsFor: WaitingCall): readonly TurnItem[] {
  const outer = withAgentOf(items, waitsFor.toolCallId, (item) => ({
    ...item,
    ...(isOpen(item) ? { state: "waiting" } : {}),
    inner: withInterruption(item.inner ?? [], waitsFor),
  }));
  if (outer !== undefined) return outer;
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
