import type { Message } from "@jaf/memory";
import type { TurnEvent } from "../turns/turn-event.ts";
import type { ToolItem, TurnItem, WaitingCall } from "./turn-view.ts";

const OPEN: ReadonlySet<string> = new Set(["called", "running", "waiting"]);

/** Whether the call has no result yet. */
export const isOpen = ({ state }: ToolItem): boolean => OPEN.has(state);

interface CalledTool {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

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
export function withCallsOf(items: readonly TurnItem[], message: Message): readonly TurnItem[] {
  return callsIn(message).reduce((all, call) => withCall(all, call, (item) => item), items);
}

/** With the result of a call, unless it is there: `tool_end` has told it, and more. */
export function withResultOf(items: readonly TurnItem[], { tool_call_id, content }: Message) {
  const index = items.findLastIndex(
    (item) => item.type === "tool" && item.toolCallId === tool_call_id && isOpen(item),
  );
  const found = items[index];
  if (found?.type !== "tool") return items;
  const { waitsFor: _, ...item } = found;
  return items.with(index, { ...item, state: "success", result: textOf(content) });
}

export function withToolStart(
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

export function withToolEnd(
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

export function withInterruption(items: readonly TurnItem[], waitsFor: WaitingCall): readonly TurnItem[] {
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
