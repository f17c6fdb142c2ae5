import type { MemoryIssue, Message } from "@jaf/memory";
import { createMemoryValidationError, describeCause } from "@jaf/memory/engine";
import type { RunConfig } from "../config.ts";
import type { JAFError } from "../errors.ts";
import { changedState } from "../immutable/changed-state.ts";
import type { Journal } from "../memory/journal.ts";
import type { Summary } from "../memory/summary.ts";
import type { NamedAddition } from "../model/additions.ts";
import type { RunState } from "../state.ts";
import { OPERATION, type Turn } from "../step.ts";
import type { ShownMessages, WindowInput } from "../window/shown.ts";
import { type ModelWindow, wholeWindow } from "../window/whole-window.ts";
import type { Compacted } from "./compaction.ts";
import { manifestOf } from "./describe.ts";
import { type PlacedHistory, placeHistory, positionAt, type Source } from "./history.ts";
import type { ContextManifest } from "./manifest.ts";
import type { openMedia } from "./media.ts";
import { indexFrom, messagesOf, type Part, partBehind, wholePart } from "./part.ts";
import type { Summarize } from "./summarize.ts";

/** What the model gets in place of the whole state. */
export type View<Ctx> =
  | {
      readonly ok: true;
      readonly state: RunState<Ctx>;
      /** Made when it is asked for. */
      readonly describe: (additions?: readonly NamedAddition[]) => ContextManifest;
    }
  | Refused;

interface Refused {
  readonly ok: false;
  readonly error: JAFError;
}

/**
 * Makes the view for a model call, and first summarises what is old, if that is due. The state stays as it is: the whole
 * history. At once where there is nothing to wait for.
 */
export type MakeView<Ctx> = (turn: Turn<Ctx>) => View<Ctx> | Promise<View<Ctx>>;

type ContextPart = typeof import("./context-part.ts");

/** What is needed of a stored conversation. */
export interface StoredView {
  readonly journal: Journal;
  /** What the conversation is made of by now. */
  readonly source: () => Source;
  readonly media: ReturnType<typeof openMedia>;
}

export interface ViewOptions<Ctx> {
  readonly config: RunConfig<Ctx>;
  /** Absent when nothing is stored. */
  readonly stored: StoredView | undefined;
  /** Absent without a window and a summary: the model gets the whole history. */
  readonly context: ContextPart | undefined;
  /** What the run was given. */
  readonly initial: readonly Message[];
}

export function openView<Ctx>({ config, stored, context, initial }: ViewOptions<Ctx>): MakeView<Ctx> {
  const { memory } = config;
  const compaction = stored && context?.openCompaction(stored.journal, config.signal);
  const given = { source: () => initial, first: 0, stored: 0 };
  const source = stored?.source ?? (() => given);
  const media = stored?.media;
  const messageOf = openSummaryMessages(context);
  let window: ModelWindow | undefined;

  const viewOf = (state: RunState<Ctx>, { window, history, compacted }: Laid): View<Ctx> => {
    const summary = compacted?.summary;
    const seen = see(window, { history, summary, message: summary && messageOf(summary) });
    if (!seen.ok) return seen;
    const agentName = state.currentAgentName;
    const { limit, tokensOf } = window;
    return {
      ok: true,
      state: withMessages(state, seen.messages),
      describe: (additions = []) =>
        manifestOf({
          ...seen,
          additions,
          agentName,
          history,
          summary,
          limit,
          tokens: tokensOf(seen.messages),
          report: compacted?.report,
        }),
    };
  };

  const prepared = async (turn: Turn<Ctx>, laid: Laid): Promise<View<Ctx>> => {
    const summarize = context && summarizerOf(config, turn, context);
    const compacted = summarize && (await compaction?.before(laid.history, summarize));
    const view = viewOf(turn.state, { compacted, ...laid });
    if (!view.ok || media === undefined) return view;
    const resolved = await media(view.state.messages);
    return resolved.ok ? { ...view, state: withMessages(view.state, resolved.messages) } : resolved;
  };

  return (turn) => {
    // Of a stored conversation they were checked before it was loaded.
    const issues = window === undefined && stored === undefined ? context?.contextIssues(memory) : undefined;
    if (issues !== undefined && issues.length > 0) return invalid(issues);
    window ??= context?.openWindow(memory?.window) ?? wholeWindow;
    const laid = { window, history: placeHistory(turn.state.messages, source()) };
    const isPrepared = compaction === undefined && media === undefined;
    return isPrepared ? viewOf(turn.state, laid) : prepared(turn, laid);
  };
}

/** A window over a history. */
interface Laid {
  readonly window: ModelWindow;
  readonly history: PlacedHistory;
  readonly compacted?: Compacted | undefined;
}

const withMessages = <Ctx>(state: RunState<Ctx>, messages: readonly Message[]): RunState<Ctx> =>
  messages === state.messages ? state : changedState(state, { messages });

/** The application's is called on its configuration, which may be an instance of a class. */
function summarizerOf<Ctx>(
  config: RunConfig<Ctx>,
  turn: Turn<Ctx>,
  { summarizeByModel }: ContextPart,
): Summarize {
  const { memory } = config;
  return memory?.summarize === undefined ? summarizeByModel(config, turn) : memory.summarize.bind(memory);
}

type Seen =
  | {
      readonly ok: true;
      readonly messages: readonly Message[];
      /** What of the history the window was laid over. */
      readonly part: Part;
      readonly shown: ShownMessages;
    }
  | Refused;

interface Sight {
  readonly history: PlacedHistory;
  readonly summary: Summary | undefined;
  /** The summary as a message. */
  readonly message: Message | undefined;
}

function see(window: ModelWindow, sight: Sight): Seen {
  try {
    const { part, shown } = seeSummarized(window, sight) ?? seeWhole(window, sight);
    if (shown.issue !== undefined) return invalid([shown.issue]);
    const before = shown.summary === undefined ? undefined : [shown.summary, ...shown.messages];
    return { ok: true, messages: before ?? shown.messages, part, shown };
  } catch (thrown) {
    const detail = "RunConfig.memory.window failed";
    return { ok: false, error: { _tag: "InternalError", detail, cause: describeCause(thrown) } };
  }
}

/** `undefined` without a summary, and where there is no room for it. */
function seeSummarized(window: ModelWindow, { history, summary, message }: Sight) {
  if (summary === undefined) return undefined;
  const part = partBehind(history, summary.upTo);
  const shown = window.show(
    inputOf(history, {
      part,
      summary: message,
      from: summary.upTo + 1,
      dropped: Math.max(0, history.first - (summary.upTo + 1)),
    }),
  );
  return shown.summary === undefined ? undefined : { part, shown };
}

function seeWhole(window: ModelWindow, { history }: Sight) {
  const part = wholePart(history);
  const input = inputOf(history, { part, summary: undefined, from: 0, dropped: history.first + part.start });
  return { part, shown: window.show(input) };
}

interface Input extends Pick<WindowInput, "summary" | "dropped"> {
  readonly part: Part;
  /** The position behind the summary; 0 without one. */
  readonly from: number;
}

const inputOf = (history: PlacedHistory, { part, from, summary, dropped }: Input): WindowInput => ({
  messages: messagesOf(history, part),
  summary,
  dropped,
  positionOf: (index) => positionAt(history, indexFrom(part)(index)) - from,
});

const invalid = (issues: readonly MemoryIssue[]): Refused => ({
  ok: false,
  error: { _tag: "MemoryError", error: createMemoryValidationError(issues, { operation: OPERATION }) },
});

/** The same message for the same summary, call after call. */
function openSummaryMessages(context: ContextPart | undefined): (summary: Summary) => Message | undefined {
  let last: { readonly summary: Summary; readonly message: Message | undefined } | undefined;
  return (summary) => {
    if (last?.summary !== summary) last = { summary, message: context?.summaryMessage(summary) };
    return last.message;
  };
}
