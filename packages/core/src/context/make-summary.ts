import type { ConversationMemory, Message } from "@jaf/memory";
import { describeCause } from "@jaf/memory/engine";
import { isHeld } from "../memory/metadata-lease.ts";
import { cleanSummary, gapsBefore, type Summary } from "../memory/summary.ts";
import { isSummaryPaused, type SummaryLeaseRecord } from "../memory/summary-lease-record.ts";
import type { Deadline } from "./deadline.ts";
import type { Summarize } from "./summarize-function.ts";
import type { SummaryAttempt, SummaryLease } from "./summary-lease.ts";

/** A summary that is to be made. */
export interface DueSummary {
  readonly previous: Summary | undefined;
  /** The messages to summarise, in addition to the previous summary. */
  readonly messages: readonly Message[];
  /** The positions of the first message that isn't summarised yet, and of the last that will be. */
  readonly from: number;
  readonly upTo: number;
  /** See `Summary`. */
  readonly digests: readonly string[];
  readonly incarnation: string | undefined;
  /** The lease that was stored last. */
  readonly leaseRecord: SummaryLeaseRecord | undefined;
}

export interface SummaryWork {
  readonly lease: SummaryLease;
  readonly summarize: Summarize;
  /** Ends when the run is aborted, and when the time is up. Nothing is waited for after that, not even the store. */
  readonly deadline: Deadline;
  readonly isAborted: () => boolean;
  /** How long the lease lasts. */
  readonly leaseMs: number;
  /** See `Journal`. */
  readonly now: () => number;
}

export type MadeSummary =
  | { readonly outcome: "stored"; readonly summary: Summary; readonly leaseRecord: SummaryLeaseRecord }
  | { readonly outcome: "unstored"; readonly summary: Summary; readonly reason: string }
  /** With what is stored now, which may contain the other run's summary. */
  | { readonly outcome: "elsewhere"; readonly stored?: ConversationMemory | null }
  | { readonly outcome: "failed" | "postponed"; readonly reason: string };

/** Makes one summary, unless another run is making it. Never rejects. */
export async function makeSummary(work: SummaryWork, due: DueSummary): Promise<MadeSummary> {
  const { lease, isAborted, leaseMs, now } = work;
  const { leaseRecord: previous, from, upTo, digests, incarnation } = due;
  if (previous !== undefined && isHeld(previous, now(), leaseMs)) return { outcome: "elsewhere" };
  if (isSummaryPaused(previous, now())) return { outcome: "postponed", reason: "it has failed lately" };
  const attempt: SummaryAttempt = { id: crypto.randomUUID(), previous, leaseMs };
  const acquired = await acquireLease(work, attempt);
  if ("outcome" in acquired) return acquired;
  const asked = await ask(work, due);
  if ("reason" in asked) {
    // An abort is no failure of the summarizer: the lease just expires.
    if (!isAborted()) void lease.release(attempt);
    return { outcome: "failed", reason: asked.reason };
  }
  const gaps = gapsBefore(from, due.previous);
  const summary = { text: asked.text, upTo, gaps, digests, incarnation };
  const stored = await inTime(work, lease.storeSummary(attempt, summary));
  if ("reason" in stored) return { outcome: "unstored", summary, reason: stored.reason };
  return stored.success
    ? { outcome: "stored", summary, leaseRecord: { id: attempt.id, until: 0 } }
    : { outcome: "unstored", summary, reason: stored.error.message };
}

type InTime<T> = T | { readonly reason: string };

/** The store's answer, if it comes in time. A write that comes too late may still be made. */
async function inTime<T>({ deadline }: SummaryWork, work: Promise<T>): Promise<InTime<T>> {
  try {
    return await deadline.race(work);
  } catch {
    return { reason: deadline.reason() };
  }
}

async function acquireLease(
  work: SummaryWork,
  attempt: SummaryAttempt,
): Promise<MadeSummary | { readonly ours: true }> {
  const acquired = await inTime(work, work.lease.acquire(attempt));
  if ("reason" in acquired) return { outcome: "failed", reason: acquired.reason };
  if (!acquired.success) {
    const { _tag, message } = acquired.error;
    return _tag === "MemoryConflictError" ? { outcome: "elsewhere" } : { outcome: "failed", reason: message };
  }
  return acquired.data.written ? { ours: true } : { outcome: "elsewhere", stored: acquired.data.stored };
}

async function ask(
  { summarize, deadline }: SummaryWork,
  { previous, messages }: DueSummary,
): Promise<InTime<{ readonly text: string }>> {
  const before = previous === undefined ? {} : { previous: previous.text };
  const { signal } = deadline;
  try {
    const asking = Promise.resolve().then(() =>
      summarize({ ...before, messages: Object.freeze([...messages]), signal }),
    );
    const returned: unknown = await deadline.race(asking);
    const text = typeof returned === "string" ? cleanSummary(returned) : "";
    return text === "" ? { reason: "summarize returned no text" } : { text };
  } catch (thrown) {
    return { reason: signal.aborted ? deadline.reason() : `summarize failed${kindOf(thrown)}` };
  }
}

/** The name and the code alone: the message of an error may quote the conversation. */
function kindOf(thrown: unknown): string {
  const { name, code } = describeCause(thrown);
  const words = [name, code].filter((word) => word !== undefined && /^[\w.-]{1,64}$/.test(word));
  return words.length === 0 ? "" : `: ${words.join(" ")}`;
}
