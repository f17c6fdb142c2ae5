import type { Message } from "@jaf/memory";
import {
  callsIn,
  type Piece,
  type PositionedMessage,
  type ToolItem,
  type TurnView,
} from "@jaf/server/client";
import type { StoppedTurn } from "../models/turn-record.ts";
import { isRejected, stateOf } from "./outcome.ts";

/** What the transcript shows, one below the other. */
export type Entry =
  | {
      readonly type: "message";
      readonly key: string;
      readonly position?: number;
      readonly message: Message;
      readonly stopped?: boolean;
    }
  | {
      readonly type: "tool";
      readonly key: string;
      readonly position?: number;
      readonly tool: ToolItem;
      /** The turn was stopped before the call had its result. */
      readonly stopped?: boolean;
    }
  | { readonly type: "handoff"; readonly key: string; readonly to: string }
  | { readonly type: "pieces"; readonly key: string; readonly pieces: readonly Piece[] };

export interface Shown {
  readonly messages: readonly PositionedMessage[];
  /** What the user has just said, until the stored messages have it. */
  readonly said: string | undefined;
  readonly turn: TurnView | undefined;
  readonly stopped?: readonly StoppedTurn[];
}

/** Everything once: what the turn has said and the store has already is shown from the store. */
export function entriesOf({ messages, said, turn, stopped = [] }: Shown): readonly Entry[] {
  const entries = storedEntries(withoutTurn(messages, turn));
  for (const one of stopped) markStopped(entries, one);
  if (said !== undefined)
    entries.push({ type: "message", key: "said", message: { role: "user", content: said } });
  for (const [index, item] of (turn?.items ?? []).entries()) {
    const key = `turn-${index}`;
    if (item.type === "tool") placeTool(entries, key, item);
    else if (item.type === "handoff") entries.push({ type: "handoff", key, to: item.to });
    else if (item.message.role !== "user")
      entries.push({ type: "message", key, message: item.message, stopped: item.stopped === true });
  }
  if (turn !== undefined && turn.pieces.length > 0)
    entries.push({ type: "pieces", key: `turn-${turn.items.length}`, pieces: turn.pieces });
  return entries;
}

/** The tools of these names that have run since the user last said something. */
export function ranSince(entries: readonly Entry[], names: ReadonlySet<string>): readonly string[] {
  const asked = entries.findLastIndex((entry) => entry.type === "message" && entry.message.role === "user");
  const ran = entries
    .slice(asked + 1)
    .flatMap((entry) =>
      entry.type === "tool" &&
      names.has(entry.tool.toolName) &&
      entry.tool.result !== undefined &&
      !isRejected(entry.tool.state, entry.tool.result)
        ? [entry.tool.toolName]
        : [],
    );
  return [...new Set(ran)];
}

/** A call that waited in an earlier turn is shown where it was made, with what has become of it. */
function placeTool(entries: Entry[], key: string, tool: ToolItem): void {
  const index = entries.findLastIndex(
    (entry) =>
      entry.type === "tool" && entry.tool.toolCallId === tool.toolCallId && entry.tool.result === undefined,
  );
  const entry = entries[index];
  if (entry?.type === "tool") entries[index] = { ...entry, tool };
  else entries.push({ type: "tool", key, tool });
}

/** The last thing that the turn said, or the calls that it was at. */
function markStopped(entries: Entry[], { from, to }: StoppedTurn): void {
  const isOwn = (entry: Entry) =>
    (entry.type === "tool" || (entry.type === "message" && entry.message.role === "assistant")) &&
    (entry.position ?? -1) >= from &&
    (entry.position ?? -1) < to;
  const last = entries.findLastIndex(isOwn);
  const entry = entries[last];
  if (entry?.type === "message") entries[last] = { ...entry, stopped: true };
  if (entry?.type !== "tool") return;
  for (const [index, other] of entries.entries())
    if (other.type === "tool" && other.position === entry.position && other.tool.result === undefined)
      entries[index] = { ...other, stopped: true };
}

function storedEntries(messages: readonly PositionedMessage[]): Entry[] {
  const entries: Entry[] = [];
  for (const { position, message } of messages) {
    if (message.role === "tool") {
      addResult(entries, message);
      continue;
    }
    entries.push({ type: "message", key: `m-${position}`, position, message });
    for (const [index, call] of callsIn(message).entries()) {
      const tool: ToolItem = { type: "tool", ...call, state: "waiting", starts: 0 };
      entries.push({ type: "tool", key: `m-${position}-${index}`, position, tool });
    }
  }
  return entries;
}

function addResult(entries: Entry[], { tool_call_id, content }: Message): void {
  const index = entries.findLastIndex(
    (entry) =>
      entry.type === "tool" && entry.tool.toolCallId === tool_call_id && entry.tool.result === undefined,
  );
  const entry = entries[index];
  if (entry?.type !== "tool") return;
  const result = typeof content === "string" ? content : JSON.stringify(content);
  entries[index] = { ...entry, tool: { ...entry.tool, state: stateOf(result), result } };
}

/** The stored messages without those that the turn's events tell. */
function withoutTurn(
  messages: readonly PositionedMessage[],
  turn: TurnView | undefined,
): readonly PositionedMessage[] {
  const told = (turn?.messages ?? []).filter(({ role }) => role === "assistant").map(identityOf);
  // A turn answers the last thing that was said: what was said before is another's, also if the words are the same.
  const asked = messages.findLastIndex(({ message }) => message.role === "user");
  const replies = messages.slice(asked + 1).filter(({ message }) => message.role === "assistant");
  for (let count = Math.min(told.length, replies.length); count > 0; count -= 1) {
    const tail = replies.slice(-count);
    if (!tail.every(({ message }, index) => identityOf(message) === told[index])) continue;
    const first = tail[0]?.position ?? Number.POSITIVE_INFINITY;
    return messages.filter(({ position }) => position < first);
  }
  return messages;
}

const identityOf = (message: Message): string =>
  JSON.stringify([
    message.content,
    callsIn(message).map(({ toolCallId, toolName }) => [toolCallId, toolName]),
  ]);
