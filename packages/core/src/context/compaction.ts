import type { ConversationMemory, Message } from "@jaf/memory";
import { type ClaimNote, readClaim } from "../memory/claim-note.ts";
import type { Journal } from "../memory/journal.ts";
import { countsPositions, firstPositionOf, nextPositionOf } from "../memory/metadata.ts";
import { digestsOf, readSummary, type Summary } from "../memory/summary.ts";
import { openClaims } from "./claim.ts";
import { cutOf } from "./cut.ts";
import { openDeadline } from "./deadline.ts";
import { type PlacedHistory, positionAt } from "./history.ts";
import { type DueSummary, type MadeSummary, makeSummary } from "./make-summary.ts";
import type { CompactionReport } from "./manifest.ts";
import { indexIn, partBehind } from "./part.ts";
import type { Summarize } from "./summarize.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
/** For how long a claim outlasts the time that its holder has: for its writes. */
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
  readonly before: (history: PlacedHistory, summarize: Summarize) => Promise<Compacted>;
}

/** `undefined` where nothing is to be summarised. */
export function openCompaction(journal: Journal, signal: AbortSignal | undefined): Compaction | undefined {
  const { compressionThreshold: threshold, summarizeTimeoutMs = DEFAULT_TIMEOUT_MS } = journal.memory;
  if (threshold === undefined) return undefined;
  const claims = openClaims(journal);
  const leaseMs = summarizeTimeoutMs + GRACE_MS;
  let noted: Noted | undefined;
  let tried = false;

  async function compact(current: Noted, history: PlacedHistory, summarize: Summarize): Promise<Noted> {
    const deadline = openDeadline(summarizeTimeoutMs, signal);
    const isAborted = () => signal?.aborted === true;
    const readStored = (stored: ConversationMemory) => readStoredSummary(stored, journal);
    const work = { claims, summarize, deadline, isAborted, leaseMs, now: journal.now };
    let next = current;
    for (;;) {
      const due = deadline.signal.aborted ? undefined : dueSummary(history, threshold ?? 0, next);
      const made = due && (await makeSummary(work, due));
      if (due === undefined || made === undefined) break;
      next = after(next, due.messages, { made, readStored });
      if (made.outcome !== "stored") break;
    }
    deadline.close();
    return next;
  }

  return {
    before: async (history, summarize) => {
      noted ??= readNoted(journal);
      if (tried || dueSummary(history, threshold, noted) === undefined) {
        return { summary: noted.summary, report: undefined };
      }
      tried = true;
      const start = performance.now();
      noted = await compact(noted, history, summarize);
      const { summary, report } = noted;
      return { summary, report: report && { ...report, durationMs: performance.now() - start } };
    },
  };
}

/** What is known of the conversation's summary. */
interface Noted {
  /** The position behind the last message that was loaded; 0 also where the store counts no positions. */
  readonly end: number;
  readonly incarnation: string | undefined;
  readonly summary: Summary | undefined;
  readonly claim: ClaimNote | undefined;
  readonly report?: Omit<CompactionReport, "durationMs">;
}

function readNoted(journal: Journal): Noted {
  const { stored, known } = journal.history();
  const { incarnation } = known;
  if (stored === null || !countsPositions(stored)) {
    return { end: 0, incarnation, summary: undefined, claim: undefined };
  }
  const summary = readStoredSummary(stored, journal);
  return { end: nextPositionOf(stored), incarnation, summary, claim: readClaim(stored) };
}

/** What is noted in `noted`, if it is of the messages that this run has loaded. */
function readStoredSummary(noted: ConversationMemory, journal: Journal): Summary | undefined {
  const { stored } = journal.history();
  const loaded = { messages: stored?.messages ?? [], first: firstPositionOf(stored) };
  return readSummary(noted, loaded);
}

function dueSummary(
  history: PlacedHistory,
  threshold: number,
  { end, incarnation, summary, claim }: Noted,
): DueSummary | undefined {
  const before = summary === undefined ? { start: 0, late: [] } : partBehind(history, summary.upTo);
  const cut = cutOf({ history, start: before.start, threshold, end });
  if (cut === undefined) return undefined;
  const upTo = positionAt(history, cut) - 1;
  const unsummarised = indexIn(before);
  const staying = indexIn(partBehind(history, upTo));
  const messages = history.messages.filter((_, index) => unsummarised(index) !== -1 && staying(index) === -1);
  if (messages.length === 0) return undefined;
  const from = Math.max((summary?.upTo ?? -1) + 1, history.first);
  const digests = digestsOf({ messages: history.source(), first: history.first }, upTo);
  return { previous: summary, messages, from, upTo, digests, incarnation, claim };
}

interface Making {
  readonly made: MadeSummary;
  readonly readStored: (stored: ConversationMemory) => Summary | undefined;
}

function after(noted: Noted, messages: readonly Message[], { made, readStored }: Making): Noted {
  const { claim } = noted;
  const before = noted.report?.messages ?? 0;
  const { outcome } = made;
  switch (made.outcome) {
    case "stored":
    case "unstored": {
      const reason = made.outcome === "unstored" ? { reason: made.reason } : {};
      const report = { outcome, messages: before + messages.length, ...reason };
      const next = made.outcome === "stored" ? made.claim : claim;
      return { ...noted, summary: made.summary, claim: next, report };
    }
    case "elsewhere": {
      const summary = (made.stored && readStored(made.stored)) ?? noted.summary;
      return { ...noted, summary, report: { outcome, messages: before } };
    }
    case "failed":
    case "postponed":
      return { ...noted, report: { outcome, messages: before, reason: made.reason } };
  }
}
