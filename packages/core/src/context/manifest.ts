import type { Message } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type {
  CompactionReport,
  ContextAddition,
  ContextLabel,
  ContextManifest,
  ContextRange,
  WindowLimit,
} from "../context-manifest.ts";
import type { PromptAddition } from "../middleware.ts";
import type { Summary } from "../stored/summary-metadata.ts";
import { type HistorySlice, indexIn, type PositionedHistory, positionAt } from "./history.ts";
import type { WindowResult } from "./window.ts";

/** What was decided about the messages of a model call. The manifest is made from it. */
export interface ContextDecision {
  readonly agentName: string;
  readonly history: PositionedHistory;
  /** All messages that the model gets. */
  readonly messages: readonly Message[];
  readonly summary: Summary | undefined;
  /** The part of the history that the window was applied to. With a summary: the messages after the summary. */
  readonly slice: HistorySlice;
  readonly windowed: WindowResult;
  readonly limit: WindowLimit | undefined;
  readonly tokens: number | undefined;
  readonly report: CompactionReport | undefined;
  readonly additions: readonly PromptAddition[];
}

/** Makes the manifest of a model call. The manifest is deeply frozen. */
export function manifestOf(decided: ContextDecision): ContextManifest {
  const { agentName, messages, summary, windowed, limit, tokens, report } = decided;
  const ranges = rangesOf(decided);
  const inContext = windowed.summary === undefined ? undefined : summary;
  return {
    agentName,
    messages: (ranges.at(-1)?.to ?? -1) + 1,
    ranges,
    counts: countFates(ranges),
    sent: messages.length,
    ...(lacksUserMessage(decided) ? { lacksUserMessage: true } : {}),
    ...(inContext && { summary: Object.freeze({ upTo: inContext.upTo, characters: inContext.text.length }) }),
    ...(limit && { window: Object.freeze(limit) }),
    ...present({ estimatedTokens: tokens }),
    ...(decided.additions.length === 0 ? {} : { additions: additionsOf(decided) }),
    ...(report && { compaction: Object.freeze(report) }),
  };
}

const lacksUserMessage = ({ history, windowed }: ContextDecision): boolean =>
  windowed.messages.length > 0 &&
  !windowed.messages.some(({ role }) => role === "user") &&
  !history.messages.some(({ role }) => role === "user");

function additionsOf({ history, additions }: ContextDecision): readonly ContextAddition[] {
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
const repaired: ContextLabel = { fate: "repaired" };
const summarized: ContextLabel = { fate: "summarized" };
const noRoom: ContextLabel = { fate: "trimmed", reason: "no-room" };
const notLoaded: ContextLabel = { fate: "trimmed", reason: "not-loaded" };
const cutTurn: ContextLabel = { fate: "dropped", reason: "cut-turn" };
const notReplayable: ContextLabel = { fate: "dropped", reason: "not-replayable" };
const notStored: ContextLabel = { fate: "dropped", reason: "not-stored" };

/** Returns the fate of each message of the conversation, as ranges of messages with the same fate and reason. */
function rangesOf(decided: ContextDecision): readonly ContextRange[] {
  const { history, summary, windowed } = decided;
  const { first, stored } = history;
  const old = windowed.summary === undefined ? noRoom : summarized;
  const ranges = openRanges();
  let dropped = 0;
  for (const [from, to] of [...(summary?.gaps ?? []), [(summary?.upTo ?? -1) + 1, stored - 1] as const]) {
    ranges.add(dropped, Math.min(stored, from), old);
    ranges.add(Math.max(dropped, from), Math.min(stored, to + 1), notStored);
    dropped = Math.max(dropped, from, to + 1);
  }
  const afterSummary = windowed.summary === undefined ? stored : Math.max(stored, (summary?.upTo ?? -1) + 1);
  ranges.add(stored, Math.min(first, afterSummary), summarized);
  ranges.add(afterSummary, first, notLoaded);
  for (const [at, label] of labelsOf(decided).entries())
    ranges.add(first + at, first + at + 1, label ?? notReplayable);
  return ranges.found();
}

/**
 * Returns the fate of each message, by its index in the history's `source`. `undefined`: the sanitizer dropped the
 * message.
 */
function labelsOf({ history, slice, windowed }: ContextDecision): readonly (ContextLabel | undefined)[] {
  const { messages } = history;
  const source = history.source();
  const origins = Int32Array.from(messages, (_, index) => history.originOf(index));
  const size = origins.reduce((most, at) => Math.max(most, at + 1), source.length);
  const labels = Array.from({ length: size }, (): ContextLabel | undefined => undefined);
  const outside = windowed.summary === undefined ? cutTurn : summarized;
  const indexInSlice = indexIn(slice);
  const follows = followersIn(origins);
  for (const [index, message] of messages.entries()) {
    const at = origins[index] ?? 0;
    const sliceIndex = indexInSlice(index);
    const isChanged = at < source.length && message !== source[at];
    const isMoved = message.role === "tool" && follows.get(origins[index - 1] ?? -1) !== at;
    labels[at] =
      (sliceIndex === -1 ? outside : windowed.label(sliceIndex)) ?? (isChanged || isMoved ? repaired : sent);
  }
  return labels;
}

/** Returns for each index the next larger one. The key -1 has the smallest index. */
function followersIn(origins: Int32Array): ReadonlyMap<number, number> {
  // If the model gets a tool result after another message than in `source`, the sanitizer has moved the result.
  const followers = new Map<number, number>();
  let last = -1;
  for (const at of origins.toSorted()) {
    followers.set(last, at);
    last = at;
  }
  return followers;
}

/** Collects ranges of positions. Adjacent ranges with the same fate and reason are joined. */
function openRanges() {
  const ranges: { readonly from: number; to: number; readonly label: ContextLabel }[] = [];
  return {
    /** Adds the range that begins at position `from` and ends before position `before`. */
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
