import type { Message } from "@jaf/memory";
import type { Journal } from "../memory/journal.ts";
import { countsPositions, firstPositionOf, nextPositionOf } from "../memory/metadata.ts";
import { digestsOf, readSummary, type Summary } from "../memory/summary.ts";
import { openTimeLimit } from "../timing/time-limit.ts";
import { type PositionedHistory, positionAt } from "./history.ts";
import { indexIn, sliceAfter } from "./history-slice.ts";
import { type DueSummary, type MadeSummary, makeSummary } from "./make-summary.ts";
import type { CompactionReport } from "./manifest.ts";
import type { Summarize } from "./summarize-function.ts";
import { cutOf } from "./summary-cut.ts";
import { openSummaryStore } from "./summary-store.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

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
