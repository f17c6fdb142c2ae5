import type { Message } from "@jaf/memory";
import { calledTool, messageText, present } from "@jaf/memory/internal";
import type { CompactionReport } from "../context-manifest.ts";
import { openTimeLimit, type TimeLimit } from "../limits/time-limit.ts";
import type { Summarize } from "../memory-config.ts";
import type { Journal } from "../stored/journal.ts";
import { countsPositions, firstPositionOf, nextPositionOf } from "../stored/metadata.ts";
import { cleanSummary, digestsOf, gapsBefore, readSummary, type Summary } from "../stored/summary.ts";
import { reasonOf } from "../thrown.ts";
import { indexIn, type PositionedHistory, positionAt, sliceAfter } from "./history.ts";
import { openSummaryStore, type StoredSummary, type SummaryStore } from "./summary-store.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

/** The most text that one summary is made of, in UTF-16 units, unless a single turn is longer. */
export const MAX_INPUT = 100_000;

export interface Compacted {
  readonly summary: Summary | undefined;
  /** Absent if there was nothing to summarise. */
  readonly report: CompactionReport | undefined;
}

/**
 * The summary that a run works with. Its messages are summarised at most once, before the first model call that would
 * see too many of them.
 */
export interface Compaction {
  /** Never rejects. */
  readonly before: (history: PositionedHistory, summarize: Summarize) => Promise<Compacted>;
}

/** `undefined` where nothing is to be summarised. */
export function openCompaction(journal: Journal, signal: AbortSignal | undefined): Compaction | undefined {
  const { compressionThreshold: threshold, summary } = journal.memory;
  if (threshold === undefined) return undefined;
  let known: KnownSummary | undefined;
  let tried = false;

  async function compact(
    current: KnownSummary,
    history: PositionedHistory,
    summarize: Summarize,
  ): Promise<KnownSummary> {
    const timeoutMs = summary?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const limit = openTimeLimit({ timeoutMs, option: "RunConfig.memory.summary.timeoutMs" }, signal);
    const isAborted = () => signal?.aborted === true;
    const work = { store: openSummaryStore(journal), summarize, limit, isAborted };
    let next = current;
    for (;;) {
      const due = limit.signal.aborted ? undefined : dueSummary(history, threshold ?? 0, next);
      const made = due && (await makeSummary(work, due));
      if (due === undefined || made === undefined) break;
      next = advance(next, due.messages, made);
      if (made.outcome !== "stored") break;
    }
    limit.close();
    return next;
  }

  return {
    before: async (history, summarize) => {
      known ??= readKnownSummary(journal);
      if (tried || dueSummary(history, threshold, known) === undefined) {
        return { summary: known.summary, report: undefined };
      }
      tried = true;
      const start = performance.now();
      known = await compact(known, history, summarize);
      const { summary, report } = known;
      return { summary, report: report && { ...report, durationMs: performance.now() - start } };
    },
  };
}

/** What the run knows of the conversation's summary. */
interface KnownSummary {
  /** The position after the last message that was loaded; 0 also where the store counts no positions. */
  readonly end: number;
  readonly incarnation: string | undefined;
  readonly summary: Summary | undefined;
  readonly report?: Omit<CompactionReport, "durationMs">;
}

function readKnownSummary(journal: Journal): KnownSummary {
  const { stored, known } = journal.history();
  const { incarnation } = known;
  if (stored === null || !countsPositions(stored)) return { end: 0, incarnation, summary: undefined };
  const summary = readSummary(stored, { messages: stored.messages, first: firstPositionOf(stored) });
  return { end: nextPositionOf(stored), incarnation, summary };
}

function dueSummary(
  history: PositionedHistory,
  threshold: number,
  { end, incarnation, summary }: KnownSummary,
): DueSummary | undefined {
  const before = summary === undefined ? { start: 0, late: [] } : sliceAfter(history, summary.upTo);
  const cut = cutOf({ history, start: before.start, threshold, end });
  if (cut === undefined) return undefined;
  const upTo = positionAt(history, cut) - 1;
  const unsummarised = indexIn(before);
  const staying = indexIn(sliceAfter(history, upTo));
  const messages = history.messages.filter((_, index) => unsummarised(index) !== -1 && staying(index) === -1);
  if (messages.length === 0) return undefined;
  const from = Math.max((summary?.upTo ?? -1) + 1, history.first);
  const digests = digestsOf({ messages: history.source(), first: history.first }, upTo);
  return { previous: summary, messages, from, upTo, digests, incarnation };
}

function advance(known: KnownSummary, messages: readonly Message[], made: MadeSummary): KnownSummary {
  const { outcome } = made;
  const reason = "reason" in made ? { reason: made.reason } : {};
  const isNew = outcome === "stored" || outcome === "unstored";
  const report = {
    outcome,
    messages: (known.report?.messages ?? 0) + (isNew ? messages.length : 0),
    ...reason,
  };
  return { ...known, ...("summary" in made ? { summary: made.summary } : {}), report };
}

interface CutInput {
  readonly history: PositionedHistory;
  /** Index of the first message that isn't summarised. */
  readonly start: number;
  /** How many messages may go unsummarised. */
  readonly threshold: number;
  /** The position after the last message that was stored when the run began: later ones aren't summarised. */
  readonly end: number;
}

/**
 * Index of the first message that stays when the older ones are summarised, a user message; `undefined` if nothing is to
 * be summarised. At least half of the threshold stays, as far as turns allow it, and not more than the threshold, unless
 * the last turn is longer.
 */
function cutOf({ history, start, threshold, end }: CutInput): number | undefined {
  const { messages } = history;
  if (messages.length - start <= threshold) return undefined;
  const target = messages.length - Math.ceil(threshold / 2);
  let cut: number | undefined;
  let size = 0;
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role === "user" && index > start) {
      const leavesEnough = cut !== undefined && messages.length - cut <= threshold;
      if (index > target && leavesEnough) break;
      // The message before must be stored: its position is the last that is summarised.
      if (positionAt(history, index) > end || (cut !== undefined && size > MAX_INPUT)) break;
      cut = index;
      if (index >= target) break;
    }
    size += message === undefined ? 0 : sizeOf(message);
  }
  return cut;
}

const sizeOf = (message: Message): number =>
  (message.tool_calls ?? []).reduce((sum, call) => sum + calledTool(call).input.length, 0) +
  messageText(message).length;

/** A summary that is to be made. */
interface DueSummary {
  readonly previous: Summary | undefined;
  /** The messages to summarise, in addition to the previous summary. */
  readonly messages: readonly Message[];
  /** The positions of the first message that isn't summarised yet, and of the last that will be. */
  readonly from: number;
  readonly upTo: number;
  /** See `Summary`. */
  readonly digests: readonly string[];
  readonly incarnation: string | undefined;
}

interface SummaryWork {
  readonly store: SummaryStore;
  readonly summarize: Summarize;
  /** Ends when the run is aborted, and when the time is up. Nothing is waited for after that, not even the store. */
  readonly limit: TimeLimit;
  readonly isAborted: () => boolean;
}

type MadeSummary = StoredSummary | { readonly outcome: "failed" | "postponed"; readonly reason: string };

/** Makes one summary. Never rejects. */
async function makeSummary(work: SummaryWork, due: DueSummary): Promise<MadeSummary> {
  const { store, limit, isAborted } = work;
  if (store.isPaused()) return { outcome: "postponed", reason: "it has failed lately" };
  const asked = await ask(work, due);
  if ("reason" in asked) {
    // An abort is no failure of the summarizer. The pause isn't waited for.
    if (!isAborted()) void store.pause();
    return { outcome: "failed", reason: asked.reason };
  }
  const { from, upTo, digests, incarnation, previous } = due;
  const summary = { text: asked.text, upTo, gaps: gapsBefore(from, previous), digests, incarnation };
  try {
    return await limit.race(store.store(summary));
  } catch {
    // The write may still be made.
    return { outcome: "unstored", summary, reason: whyOver(limit) };
  }
}

async function ask(
  { summarize, limit }: SummaryWork,
  { previous, messages }: DueSummary,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const before = present({ previous: previous?.text });
  const { signal } = limit;
  try {
    const asking = Promise.resolve().then(() =>
      summarize({ ...before, messages: Object.freeze([...messages]), signal }),
    );
    const returned: unknown = await limit.race(asking);
    const text = typeof returned === "string" ? cleanSummary(returned) : "";
    return text === "" ? { reason: "summarize returned no text" } : { text };
  } catch (thrown) {
    return { reason: signal.aborted ? whyOver(limit) : `summarize failed: ${reasonOf(thrown)}` };
  }
}

function whyOver(limit: TimeLimit): string {
  const exceeded = limit.exceeded();
  return exceeded === undefined ? "the run was aborted" : `it took longer than ${exceeded.timeoutMs} ms`;
}
