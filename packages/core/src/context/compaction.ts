import type { ConversationMemory, Message } from "@jaf/memory";
import type { Journal } from "../memory/journal.ts";
import { countsPositions, firstPositionOf, nextPositionOf } from "../memory/metadata.ts";
import { digestsOf, readSummary, type Summary } from "../memory/summary.ts";
import { readSummaryLease, type SummaryLeaseRecord } from "../memory/summary-lease-record.ts";
import { openDeadline } from "./deadline.ts";
import { type PositionedHistory, positionAt } from "./history.ts";
import { indexIn, sliceAfter } from "./history-slice.ts";
import { type DueSummary, type MadeSummary, makeSummary } from "./make-summary.ts";
import type { CompactionReport } from "./manifest.ts";
import type { Summarize } from "./summarize-function.ts";
import { cutOf } from "./summary-cut.ts";
import { openSummaryLease } from "./summary-lease.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
/** How much longer the lease lasts than the summary may take, so that its holder can still write. */
const GRACE_MS = 10_000;

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
  const { compressionThreshold: threshold, summarizeTimeoutMs = DEFAULT_TIMEOUT_MS } = journal.memory;
  if (threshold === undefined) return undefined;
  const lease = openSummaryLease(journal);
  const leaseMs = summarizeTimeoutMs + GRACE_MS;
  let known: KnownSummary | undefined;
  let tried = false;

  async function compact(
    current: KnownSummary,
    history: PositionedHistory,
    summarize: Summarize,
  ): Promise<KnownSummary> {
    const deadline = openDeadline(summarizeTimeoutMs, signal);
    const isAborted = () => signal?.aborted === true;
    const readStored = (stored: ConversationMemory) => readStoredSummary(stored, journal);
    const work = { lease, summarize, deadline, isAborted, leaseMs, now: journal.now };
    let next = current;
    for (;;) {
      const due = deadline.signal.aborted ? undefined : dueSummary(history, threshold ?? 0, next);
      const made = due && (await makeSummary(work, due));
      if (due === undefined || made === undefined) break;
      next = advance(next, due.messages, { made, readStored });
      if (made.outcome !== "stored") break;
    }
    deadline.close();
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
  readonly leaseRecord: SummaryLeaseRecord | undefined;
  readonly report?: Omit<CompactionReport, "durationMs">;
}

function readKnownSummary(journal: Journal): KnownSummary {
  const { stored, known: counts } = journal.history();
  const { incarnation } = counts;
  if (stored === null || !countsPositions(stored)) {
    return { end: 0, incarnation, summary: undefined, leaseRecord: undefined };
  }
  const summary = readStoredSummary(stored, journal);
  return { end: nextPositionOf(stored), incarnation, summary, leaseRecord: readSummaryLease(stored) };
}

/** The summary in a conversation, if it belongs to the messages that this run has loaded. */
function readStoredSummary(conversation: ConversationMemory, journal: Journal): Summary | undefined {
  const { stored } = journal.history();
  const loaded = { messages: stored?.messages ?? [], first: firstPositionOf(stored) };
  return readSummary(conversation, loaded);
}

function dueSummary(
  history: PositionedHistory,
  threshold: number,
  { end, incarnation, summary, leaseRecord }: KnownSummary,
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
  return { previous: summary, messages, from, upTo, digests, incarnation, leaseRecord };
}

interface SummaryOutcome {
  readonly made: MadeSummary;
  readonly readStored: (stored: ConversationMemory) => Summary | undefined;
}

function advance(
  known: KnownSummary,
  messages: readonly Message[],
  { made, readStored }: SummaryOutcome,
): KnownSummary {
  const { leaseRecord } = known;
  const before = known.report?.messages ?? 0;
  const { outcome } = made;
  switch (made.outcome) {
    case "stored":
    case "unstored": {
      const reason = made.outcome === "unstored" ? { reason: made.reason } : {};
      const report = { outcome, messages: before + messages.length, ...reason };
      const next = made.outcome === "stored" ? made.leaseRecord : leaseRecord;
      return { ...known, summary: made.summary, leaseRecord: next, report };
    }
    case "elsewhere": {
      const summary = (made.stored && readStored(made.stored)) ?? known.summary;
      return { ...known, summary, report: { outcome, messages: before } };
    }
    case "failed":
    case "postponed":
      return { ...known, report: { outcome, messages: before, reason: made.reason } };
  }
}
