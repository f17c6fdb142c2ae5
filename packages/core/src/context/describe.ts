import type { Message } from "@jaf/memory";
import type { Summary } from "../memory/summary.ts";
import type { NamedAddition } from "../model/additions.ts";
import type { ShownMessages } from "../window/shown.ts";
import { type PositionedHistory, positionAt } from "./history.ts";
import { type HistorySlice, indexIn } from "./history-slice.ts";
import type {
  CompactionReport,
  ContextAddition,
  ContextLabel,
  ContextManifest,
  ContextRange,
  ContextReason,
  WindowLimit,
} from "./manifest.ts";

/** What was decided for a model call. */
export interface Decided {
  readonly agentName: string;
  readonly history: PositionedHistory;
  /** All that the model gets. */
  readonly messages: readonly Message[];
  readonly summary: Summary | undefined;
  /** The part of the history that the window was applied to. */
  readonly slice: HistorySlice;
  readonly shown: ShownMessages;
  readonly limit: WindowLimit | undefined;
  readonly tokens: number | undefined;
  readonly report: CompactionReport | undefined;
  readonly additions: readonly NamedAddition[];
}

/** Frozen throughout. */
export function manifestOf(decided: Decided): ContextManifest {
  const { agentName, messages, summary, shown, limit, tokens, report } = decided;
  const ranges = rangesOf(decided);
  const inView = shown.summary === undefined ? undefined : summary;
  return {
    agentName,
    messages: (ranges.at(-1)?.to ?? -1) + 1,
    ranges,
    counts: countFates(ranges),
    sent: messages.length,
    ...(lacksUserMessage(decided) ? { lacksUserMessage: true } : {}),
    ...(inView && { summary: Object.freeze({ upTo: inView.upTo, characters: inView.text.length }) }),
    ...(limit && { window: Object.freeze(limit) }),
    ...(tokens === undefined ? {} : { estimatedTokens: tokens }),
    ...(decided.additions.length === 0 ? {} : { additions: additionsOf(decided) }),
    ...(report && { compaction: Object.freeze(report) }),
  };
}

const lacksUserMessage = ({ history, shown }: Decided): boolean =>
  shown.messages.length > 0 &&
  !shown.messages.some(({ role }) => role === "user") &&
  !history.messages.some(({ role }) => role === "user");

function additionsOf({ history, additions }: Decided): readonly ContextAddition[] {
  const newest = history.messages.findLastIndex(({ role }) => role === "user");
  return Object.freeze(
    additions.map(({ name, placement, text }) =>
      Object.freeze({
        name,
        placement,
        characters: text.length,
        ...(placement === "instructions" ? {} : { before: positionAt(history, newest) }),
      }),
    ),
  );
}

function countFates(ranges: readonly ContextRange[]): ContextManifest["counts"] {
  const counts = { sent: 0, repaired: 0, summarized: 0, trimmed: 0, dropped: 0 };
  for (const { from, to, fate } of ranges) counts[fate] += to - from + 1;
  return Object.freeze(counts);
}

const sent: ContextLabel = { fate: "sent" };
const summarized: ContextLabel = { fate: "summarized" };
const noRoom: ContextLabel = { fate: "trimmed", reason: "no-room" };
const cutTurn: ContextLabel = { fate: "dropped", reason: "cut-turn" };
const notStored: ContextLabel = { fate: "dropped", reason: "not-stored" };
const notLoaded: ContextLabel = { fate: "trimmed", reason: "not-loaded" };
const reordered: ContextLabel = { fate: "repaired", reason: "reordered" };

/** What became of each message of the conversation. Linear. */
function rangesOf({ history, slice, summary, shown }: Decided): readonly ContextRange[] {
  const { messages, first, stored } = history;
  const source = history.source();
  const sourceIndexes = history.sourceIndexes();
  const size = sizeOf(sourceIndexes, source.length);
  const labels: (ContextLabel | undefined)[] = new Array(size);
  const before = keptBefore(sourceIndexes, size);
  const old = shown.summary === undefined ? noRoom : summarized;
  const outside = shown.summary === undefined ? cutTurn : summarized;
  const indexInSlice = indexIn(slice);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    const sourceIndex = sourceIndexes[index] ?? 0;
    const sliceIndex = indexInSlice(index);
    const shownAs = sliceIndex === -1 ? outside : shown.label(sliceIndex);
    const moved = message?.role === "tool" && before[sourceIndex] !== (sourceIndexes[index - 1] ?? -1);
    labels[sourceIndex] = shownAs ?? (moved ? reordered : (repairOf(message, source[sourceIndex]) ?? sent));
  }
  const isCalled = openCallIds(source);
  const ranges = openRanges();
  let dropped = 0;
  for (const [from, to] of [...(summary?.gaps ?? []), [(summary?.upTo ?? -1) + 1, stored - 1] as const]) {
    ranges.add(dropped, Math.min(stored, from), old);
    ranges.add(Math.max(dropped, from), Math.min(stored, to + 1), notStored);
    dropped = Math.max(dropped, from, to + 1);
  }
  const afterSummary = shown.summary === undefined ? stored : Math.max(stored, (summary?.upTo ?? -1) + 1);
  ranges.add(stored, Math.min(first, afterSummary), summarized);
  ranges.add(afterSummary, first, notLoaded);
  for (let at = 0; at < size; at++) {
    const label = labels[at] ?? { fate: "dropped", reason: dropReason(source[at], isCalled) };
    ranges.add(first + at, first + at + 1, label);
  }
  return ranges.found();
}

function sizeOf(sourceIndexes: Int32Array, least: number): number {
  let size = least;
  for (const at of sourceIndexes) if (at >= size) size = at + 1;
  return size;
}

/** For each index of the source, that of the last message before it that was kept; -1 if there is none. */
function keptBefore(sourceIndexes: Int32Array, size: number): Int32Array {
  const kept = new Uint8Array(size);
  for (const at of sourceIndexes) kept[at] = 1;
  const before = new Int32Array(size);
  let last = -1;
  for (let at = 0; at < size; at++) {
    before[at] = last;
    if (kept[at] === 1) last = at;
  }
  return before;
}

function repairOf(message: Message | undefined, original: Message | undefined): ContextLabel | undefined {
  if (original === undefined || original === message) return undefined;
  const hadCalls = (original.tool_calls ?? []).length > 0;
  return { fate: "repaired", reason: hadCalls ? "unanswered-call" : "empty-calls" };
}

function dropReason(message: Message | undefined, isCalled: (id: string) => boolean): ContextReason {
  if (message?.role === "tool") {
    return isCalled(message.tool_call_id ?? "") ? "duplicate-result" : "orphan-result";
  }
  return (message?.tool_calls ?? []).length > 0 ? "unanswered-call" : "empty";
}

function openCallIds(source: readonly Message[]): (id: string) => boolean {
  let ids: ReadonlySet<string> | undefined;
  return (id) => {
    ids ??= new Set(source.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.id)));
    return ids.has(id);
  };
}

/** Joins neighbouring messages that have the same fate and reason. */
function openRanges() {
  const ranges: { readonly from: number; to: number; readonly label: ContextLabel }[] = [];
  return {
    /** From a position to before another. */
    add: (from: number, before: number, label: ContextLabel): void => {
      if (from >= before) return;
      const last = ranges.at(-1);
      if (last?.label.fate === label.fate && last.label.reason === label.reason) last.to = before - 1;
      else ranges.push({ from, to: before - 1, label });
    },
    found: (): readonly ContextRange[] =>
      Object.freeze(ranges.map(({ from, to, label }) => Object.freeze({ from, to, ...label }))),
  };
}
