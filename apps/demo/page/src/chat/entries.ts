import type { Message } from "@jaf/memory";
import {
  callsIn,
  type FoldedTurn,
  type Piece,
  type PositionedMessage,
  type ToolItem,
  type ToolState,
} from "@jaf/server/client";
import { type SentText, stillWaiting } from "../models/sent-texts.ts";
import type { StoppedTurn } from "../models/turn-record.ts";

/** An entry of the transcript. */
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
      /** Whether the turn was stopped before the call had a result. */
      readonly stopped?: boolean;
    }
  | { readonly type: "handoff"; readonly key: string; readonly to: string }
  | { readonly type: "pieces"; readonly key: string; readonly pieces: readonly Piece[] }
  /** What the user said, and no turn has taken yet. */
  | { readonly type: "waiting"; readonly key: string; readonly text: string }
  /** A tool call that the model is writing. */
  | { readonly type: "writing"; readonly key: string; readonly call: WrittenCall };

export type WrittenCall = Extract<Piece, { readonly type: "tool_arguments" }>;

export interface TranscriptState {
  readonly messages: readonly PositionedMessage[];
  /** The user's new message, until the stored messages include it. */
  readonly said: string | undefined;
  /** What the user said while a turn ran. */
  readonly sent?: readonly SentText[];
  readonly turn: FoldedTurn | undefined;
  readonly stopped?: readonly StoppedTurn[];
}

/** Merges stored messages and the current turn. Messages in both are shown from the store. */
export function entriesOf({
  messages,
  said,
  sent = [],
  turn,
  stopped = [],
}: TranscriptState): readonly Entry[] {
  const entries = storedEntries(withoutTurn(messages, turn));
  for (const one of stopped) markStopped(entries, one);
  if (said !== undefined)
    entries.push({ type: "message", key: "said", message: { role: "user", content: said } });
  for (const [index, item] of (turn?.items ?? []).entries()) {
    const key = `turn-${index}`;
    if (item.type === "tool") placeTool(entries, key, item);
    else if (item.type === "handoff") entries.push({ type: "handoff", key, to: item.to });
    else if (item.type === "input") entries.push({ type: "message", key, message: item.message });
    else if (item.message.role !== "user")
      entries.push({ type: "message", key, message: item.message, stopped: item.stopped === true });
  }
  if (turn !== undefined) entries.push(...comingEntries(turn));
  for (const { key, text } of stillWaiting(sent, { messages, turn }))
    entries.push({ type: "waiting", key, text });
  return entries;
}

/** The entries of the reply in progress. Their keys are those of the items that will replace them. */
function comingEntries({ items, pieces }: FoldedTurn): readonly Entry[] {
  const calls = pieces.filter((piece) => piece.type === "tool_arguments");
  const said = pieces.filter((piece) => piece.type !== "tool_arguments");
  return [
    ...(said.length === 0 ? [] : [{ type: "pieces" as const, key: `turn-${items.length}`, pieces: said }]),
    ...calls.map((call, nth) => ({
      type: "writing" as const,
      key: `turn-${items.length + 1 + nth}`,
      call,
    })),
  ];
}

/** The named tools that ran since the last user message. */
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

/** Updates a call from an earlier turn in its place, with its current state. */
function placeTool(entries: Entry[], key: string, tool: ToolItem): void {
  const index = entries.findLastIndex(
    (entry) =>
      entry.type === "tool" && entry.tool.toolCallId === tool.toolCallId && entry.tool.result === undefined,
  );
  const entry = entries[index];
  if (entry?.type === "tool") entries[index] = { ...entry, tool };
  else entries.push({ type: "tool", key, tool });
}

/** Marks the turn's last message, or its running calls. */
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

/** The stored messages without those that the turn's events contain. */
function withoutTurn(
  messages: readonly PositionedMessage[],
  turn: FoldedTurn | undefined,
): readonly PositionedMessage[] {
  const from = turn?.position ?? Number.POSITIVE_INFINITY;
  return messages.filter(({ position }) => position < from);
}

interface LooseResult {
  readonly status?: unknown;
  readonly error?: { readonly message?: unknown } | null;
}

const STATUSES: ReadonlySet<unknown> = new Set([
  "success",
  "error",
  "validation_error",
  "permission_denied",
  "not_found",
]);

/** Matches the engine's result for a rejected call. */
const REJECTED = /^(?:That didn't work: )?The call was not approved[.:]/;

function parsed(result: string): LooseResult | undefined {
  try {
    const value: unknown = JSON.parse(result);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The state of a stored result. Results are JSON with a status, unless a tool returns something else. */
function stateOf(result: string): ToolState {
  const status = parsed(result)?.status;
  return STATUSES.has(status) ? (status as ToolState) : "success";
}

/** Whether the user rejected the call, so it never ran. */
export function isRejected(state: ToolState, result: string | undefined): boolean {
  if (result === undefined) return false;
  const loose = parsed(result);
  const message = loose?.error?.message;
  if (loose?.status === "permission_denied") return typeof message === "string" && REJECTED.test(message);
  return state === "permission_denied" && loose === undefined && REJECTED.test(result);
}
