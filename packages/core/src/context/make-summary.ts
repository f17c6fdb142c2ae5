import type { ConversationMemory, Message } from "@jaf/memory";
import { describeCause } from "@jaf/memory/engine";
import { type ClaimNote, isPaused } from "../memory/claim-note.ts";
import { isHeld } from "../memory/lease.ts";
import { cleanSummary, gapsBefore, type Summary } from "../memory/summary.ts";
import type { Claims, Wanted } from "./claim.ts";
import type { Deadline } from "./deadline.ts";
import type { Summarize } from "./summarize.ts";

/** A summary that is to be made. */
export interface DueSummary {
  readonly previous: Summary | undefined;
  /** What goes into it beside the one before. */
  readonly messages: readonly Message[];
  /** The position of the first that isn't summarised, and that of the last that is to be. */
  readonly from: number;
  readonly upTo: number;
  /** Of the last messages that are to be summarised, and of the conversation: see `Summary`. */
  readonly digests: readonly string[];
  readonly incarnation: string | undefined;
  /** The claim that was noted last. */
  readonly claim: ClaimNote | undefined;
}

export interface SummaryWork {
  readonly claims: Claims;
  readonly summarize: Summarize;
  /** Over when the run is aborted, and when the time is up. Nothing is waited for after that, the store neither. */
  readonly deadline: Deadline;
  readonly isAborted: () => boolean;
  /** For how long the claim stands should this process be gone. */
  readonly leaseMs: number;
  /** See `Journal`. */
  readonly now: () => number;
}

export type MadeSummary =
  | { readonly outcome: "stored"; readonly summary: Summary; readonly claim: ClaimNote }
  | { readonly outcome: "unstored"; readonly summary: Summary; readonly reason: string }
  /** With what is stored now, where the other's summary may be by then. */
  | { readonly outcome: "elsewhere"; readonly stored?: ConversationMemory | null }
  | { readonly outcome: "failed" | "postponed"; readonly reason: string };

/** Makes one summary, unless somebody else does. Never rejects. */
export async function makeSummary(work: SummaryWork, due: DueSummary): Promise<MadeSummary> {
  const { claims, isAborted, leaseMs, now } = work;
  const { claim: previous, from, upTo, digests, incarnation } = due;
  if (previous !== undefined && isHeld(previous, now(), leaseMs)) return { outcome: "elsewhere" };
  if (isPaused(previous, now())) return { outcome: "postponed", reason: "it has failed lately" };
  const wanted: Wanted = { id: crypto.randomUUID(), previous, leaseMs };
  const taken = await claimed(work, wanted);
  if ("outcome" in taken) return taken;
  const asked = await ask(work, due);
  if ("reason" in asked) {
    // An abort says nothing of the summarizer: the claim lapses.
    if (!isAborted()) void claims.release(wanted);
    return { outcome: "failed", reason: asked.reason };
  }
  const gaps = gapsBefore(from, due.previous);
  const summary = { text: asked.text, upTo, gaps, digests, incarnation };
  const stored = await inTime(work, claims.finish(wanted, summary));
  if ("reason" in stored) return { outcome: "unstored", summary, reason: stored.reason };
  return stored.success
    ? { outcome: "stored", summary, claim: { id: wanted.id, until: 0 } }
    : { outcome: "unstored", summary, reason: stored.error.message };
}

type InTime<T> = T | { readonly reason: string };

/** What the store has answered in time; what it is doing then it may still finish by itself. */
async function inTime<T>({ deadline }: SummaryWork, work: Promise<T>): Promise<InTime<T>> {
  try {
    return await deadline.race(work);
  } catch {
    return { reason: deadline.reason() };
  }
}

async function claimed(work: SummaryWork, wanted: Wanted): Promise<MadeSummary | { readonly ours: true }> {
  const taken = await inTime(work, work.claims.take(wanted));
  if ("reason" in taken) return { outcome: "failed", reason: taken.reason };
  if (!taken.success) {
    const { _tag, message } = taken.error;
    return _tag === "MemoryConflictError" ? { outcome: "elsewhere" } : { outcome: "failed", reason: message };
  }
  return taken.data.written ? { ours: true } : { outcome: "elsewhere", stored: taken.data.stored };
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

/** Not what it says: that may quote the messages. */
function kindOf(thrown: unknown): string {
  const { name, code } = describeCause(thrown);
  const words = [name, code].filter((word) => word !== undefined && /^[\w.-]{1,64}$/.test(word));
  return words.length === 0 ? "" : `: ${words.join(" ")}`;
}
