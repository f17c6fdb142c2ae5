import type { Message } from "@jaf/memory";
import { calledTool, messageText, present } from "@jaf/memory/internal";
import type { CompactionReport } from "../context-manifest.ts";
import { openTimeLimit, type TimeLimit } from "../limits/time-limit.ts";
import type { Summarize } from "../memory-config.ts";
import type { Journal } from "../stored/journal.ts";
import { countsPositions, firstPositionOf, nextPositionOf } from "../stored/metadata.ts";
import {
  cleanSummary,
  digestsOf,
  gapsBefore,
  readSummary,
  type Summary,
} from "../stored/summary-metadata.ts";
import { reasonOf } from "../thrown.ts";
import { indexIn, type PositionedHistory, positionAt, sliceAfter } from "./history.ts";
import { openSummaryStore, type StoredSummary, type SummaryStore } from "./summary-store.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

/** The maximum amount of text that one summary is made from, in UTF-16 units. A single turn can exceed it. */
export const MAX_INPUT = 100_000;

export interface Compacted {
  readonly summary: Summary | undefined;
  /** What happened to the summary. `undefined`: there was nothing to summarise. */
  readonly report: CompactionReport | undefined;
}

/** Makes the summaries of a run, all before one model call: the first whose history has too many messages. */
export interface Compaction {
  /** Resolves with the summary for the next model call, which is made now if it is due. Never rejects. */
  readonly before: (history: PositionedHistory, summarize: Summarize) => Promise<Compacted>;
}

/** Opens the compaction of a run. Returns `undefined` if the run makes no summaries. */
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

/** The newest summary that the run knows, and the end of the messages that were loaded when the run began. */
interface KnownSummary {
  /** The position after the last message that was loaded when the run began. 0: the store has no positions. */
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
  /** The index of the first message that the previous summary doesn't include. */
  readonly start: number;
  /** The maximum number of messages that the model gets without a summary. */
  readonly threshold: number;
  /** The position after the last message that was stored when the run began. */
  readonly end: number;
}

/**
 * Returns the index of the first message that the next summary doesn't include, always a user message. Returns
 * `undefined` if no summary is due. If possible, between half of `threshold` and `threshold` messages stay
 * unsummarised.
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
      // The previous message is the last one to summarise, so it must already be stored.
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

/** A summary that must be made now. */
interface DueSummary {
  readonly previous: Summary | undefined;
  /** The messages to summarise, in addition to the previous summary. */
  readonly messages: readonly Message[];
  /** The position of the first message to summarise, and in `upTo` the position of the last one. */
  readonly from: number;
  readonly upTo: number;
  /** The digests of the last summarised messages; see `Summary`. */
  readonly digests: readonly string[];
  readonly incarnation: string | undefined;
}

interface SummaryWork {
  readonly store: SummaryStore;
  readonly summarize: Summarize;
  /** The time limit for making and storing the summary. An abort of the run ends it, too. */
  readonly limit: TimeLimit;
  readonly isAborted: () => boolean;
}

type MadeSummary = StoredSummary | { readonly outcome: "failed" | "postponed"; readonly reason: string };

/** Makes one summary and stores it. Never rejects. */
async function makeSummary(work: SummaryWork, due: DueSummary): Promise<MadeSummary> {
  const { store, limit, isAborted } = work;
  if (store.isPaused()) return { outcome: "postponed", reason: "it has failed recently" };
  const asked = await ask(work, due);
  if ("reason" in asked) {
    // An abort isn't a failure of the summarizer, so it causes no pause. The run doesn't wait until the pause is stored.
    if (!isAborted()) void store.pause();
    return { outcome: "failed", reason: asked.reason };
  }
  const { from, upTo, digests, incarnation, previous } = due;
  const summary = { text: asked.text, upTo, gaps: gapsBefore(from, previous), digests, incarnation };
  try {
    return await limit.race(store.store(summary));
  } catch {
    // The write of the summary can still succeed later.
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
