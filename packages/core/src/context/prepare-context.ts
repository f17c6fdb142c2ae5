import type { MemoryIssue, Message } from "@jaf/memory";
import { createMemoryStorageError, createMemoryValidationError, isMediaResolver } from "@jaf/memory/internal";
import { abortable, runAborted } from "../limits/abort.ts";
import { contextIssues, type Summarize } from "../memory-config.ts";
import type { RunConfig } from "../run-config.ts";
import {
  OPERATION,
  type PrepareContext,
  type PreparedContext,
  type Refused,
  type StepStart,
} from "../run-scope.ts";
import type { RunState } from "../state.ts";
import type { Journal } from "../stored/journal.ts";
import { toResult } from "../stored/provider-result.ts";
import { type Summary, summaryMessage } from "../stored/summary-metadata.ts";
import { internalError } from "../thrown.ts";
import { type Compacted, openCompaction } from "./compaction.ts";
import {
  type HistorySlice,
  indexFrom,
  messagesOf,
  type PositionedHistory,
  positionAt,
  positionHistory,
  sliceAfter,
  storedSource,
  wholeSlice,
} from "./history.ts";
import { manifestOf } from "./manifest.ts";
import { summarizeByModel } from "./summarizer.ts";
import { type ModelWindow, openWindow, type WindowInput, type WindowResult } from "./window.ts";

interface ContextOptions<Ctx> {
  readonly config: RunConfig<Ctx>;
  /** The journal that stores the run's messages. Absent if nothing is stored. */
  readonly journal: Journal | undefined;
  /** The messages that were passed to the run. */
  readonly initial: readonly Message[];
}

export function openContext<Ctx>({ config, journal, initial }: ContextOptions<Ctx>): PrepareContext<Ctx> {
  const { memory, signal } = config;
  const compaction = journal && openCompaction(journal, signal);
  const media = journal && openMedia(journal, signal);
  const given = { source: () => initial, first: 0, stored: 0 };
  const messageOf = openSummaryMessages();
  let window: ModelWindow | undefined;

  const contextOf = (
    state: RunState<Ctx>,
    { window, history, compacted }: WindowInUse,
  ): PreparedContext<Ctx> => {
    const summary = compacted?.summary;
    const result = applyWindow(window, { history, summary, message: summary && messageOf(summary) });
    if (!result.ok) return result;
    const agentName = state.currentAgentName;
    const { limit, tokensOf } = window;
    return {
      ok: true,
      state: withMessages(state, result.messages),
      toManifest: (additions = []) =>
        manifestOf({
          ...result,
          additions,
          agentName,
          history,
          summary,
          limit,
          tokens: tokensOf(result.messages),
          report: compacted?.report,
        }),
    };
  };

  return async (step) => {
    // For a stored conversation, these options were checked before the conversation was loaded.
    const issues = window === undefined && journal === undefined ? contextIssues(memory) : [];
    if (issues.length > 0) return invalid(issues);
    window ??= openWindow(memory?.window);
    const source = journal === undefined ? given : storedSource(journal);
    const history = positionHistory(step.state.messages, source);
    const compacted = await compaction?.before(history, summarizerOf(config, step));
    const context = contextOf(step.state, { window, history, compacted });
    if (!context.ok || media === undefined) return context;
    const resolved = await media(context.state.messages);
    return resolved.ok ? { ...context, state: withMessages(context.state, resolved.messages) } : resolved;
  };
}

/** A window, and the history that the window is applied to. */
interface WindowInUse {
  readonly window: ModelWindow;
  readonly history: PositionedHistory;
  readonly compacted: Compacted | undefined;
}

const withMessages = <Ctx>(state: RunState<Ctx>, messages: readonly Message[]): RunState<Ctx> =>
  messages === state.messages ? state : { ...state, messages };

/**
 * Returns the function that makes summaries: `RunConfig.memory.summary.summarize`, or one that calls the run's model.
 */
function summarizerOf<Ctx>(config: RunConfig<Ctx>, step: StepStart<Ctx>): Summarize {
  const summary = config.memory?.summary;
  return summary?.summarize === undefined ? summarizeByModel(config, step) : summary.summarize.bind(summary);
}

type AppliedWindow =
  | {
      readonly ok: true;
      readonly messages: readonly Message[];
      /** The part of the history that the window was applied to. With a summary: the messages after the summary. */
      readonly slice: HistorySlice;
      readonly windowed: WindowResult;
    }
  | Refused;

interface WindowedHistory {
  readonly history: PositionedHistory;
  readonly summary: Summary | undefined;
  /** The summary as a message for the model. `undefined`: the conversation has no summary. */
  readonly message: Message | undefined;
}

function applyWindow(window: ModelWindow, history: WindowedHistory): AppliedWindow {
  try {
    const { slice, windowed } = applyAfterSummary(window, history) ?? applyToWhole(window, history);
    if (windowed.issue !== undefined) return invalid([windowed.issue]);
    const before = windowed.summary === undefined ? undefined : [windowed.summary, ...windowed.messages];
    return { ok: true, messages: before ?? windowed.messages, slice, windowed };
  } catch (thrown) {
    return { ok: false, error: internalError("RunConfig.memory.window failed", thrown) };
  }
}

/**
 * Applies the window to the messages after the summary. Returns `undefined` if there is no summary or no room for it.
 */
function applyAfterSummary(window: ModelWindow, { history, summary, message }: WindowedHistory) {
  if (summary === undefined) return undefined;
  const slice = sliceAfter(history, summary.upTo);
  const windowed = window.apply(
    inputOf(history, {
      slice,
      summary: message,
      from: summary.upTo + 1,
      dropped: Math.max(0, history.first - (summary.upTo + 1)),
    }),
  );
  return windowed.summary === undefined ? undefined : { slice, windowed };
}

function applyToWhole(window: ModelWindow, { history }: WindowedHistory) {
  const slice = wholeSlice(history);
  const input = inputOf(history, {
    slice,
    summary: undefined,
    from: 0,
    dropped: history.first + slice.start,
  });
  return { slice, windowed: window.apply(input) };
}

interface Input extends Pick<WindowInput, "summary" | "dropped"> {
  readonly slice: HistorySlice;
  /** The position after the last summarised message; 0 if there is no summary. */
  readonly from: number;
}

const inputOf = (history: PositionedHistory, { slice, from, summary, dropped }: Input): WindowInput => ({
  messages: messagesOf(history, slice),
  summary,
  dropped,
  positionOf: (index) => positionAt(history, indexFrom(slice)(index)) - from,
});

const invalid = (issues: readonly MemoryIssue[]): Refused => ({
  ok: false,
  error: { _tag: "MemoryError", error: createMemoryValidationError(issues, { operation: OPERATION }) },
});

/**
 * Returns a function that converts a summary into a message. The function returns the same object for the same summary.
 */
function openSummaryMessages(): (summary: Summary) => Message {
  let last: { readonly summary: Summary; readonly message: Message } | undefined;
  return (summary) => {
    if (last?.summary !== summary) last = { summary, message: summaryMessage(summary) };
    return last.message;
  };
}

const RESOLVE_MEDIA = "resolveMedia";

type WithMedia = { readonly ok: true; readonly messages: readonly Message[] } | Refused;

/**
 * Returns a function that replaces references to media (`withBlobs`) by the media's bytes, and never rejects. Returns
 * `undefined` if the memory provider already returns the bytes.
 */
function openMedia(
  journal: Journal,
  signal: AbortSignal | undefined,
): ((messages: readonly Message[]) => Promise<WithMedia>) | undefined {
  const { conversationId } = journal;
  const { provider } = journal.memory;
  if (!isMediaResolver(provider)) return undefined;
  return async (messages) => {
    // References to erased media stay, because a conversation must not end when a picture in it is erased.
    const resolving = toResult(RESOLVE_MEDIA, () =>
      provider.resolveMedia(conversationId, messages, { missing: "leave" }),
    );
    // `toResult` never rejects, so a rejection means an abort.
    const resolved = await abortable(resolving, signal).catch(() => undefined);
    if (resolved === undefined) return { ok: false, error: runAborted(signal) };
    if (!resolved.success) return { ok: false, error: { _tag: "MemoryError", error: resolved.error } };
    if (Array.isArray(resolved.data)) return { ok: true, messages: resolved.data };
    const error = createMemoryStorageError(RESOLVE_MEDIA, "the memory provider returned no messages");
    return { ok: false, error: { _tag: "MemoryError", error } };
  };
}
