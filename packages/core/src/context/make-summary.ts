import type { Message } from "@jaf/memory";
import { present } from "@jaf/memory/engine";
import { cleanSummary, gapsBefore, type Summary } from "../memory/summary.ts";
import { reasonOf } from "../thrown.ts";
import type { TimeLimit } from "../timing/time-limit.ts";
import type { Summarize } from "./summarize-function.ts";
import type { StoredSummary, SummaryStore } from "./summary-store.ts";

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
}

export interface SummaryWork {
  readonly store: SummaryStore;
  readonly summarize: Summarize;
  /** Ends when the run is aborted, and when the time is up. Nothing is waited for after that, not even the store. */
  readonly limit: TimeLimit;
  readonly isAborted: () => boolean;
}

export type MadeSummary =
  | StoredSummary
  | { readonly outcome: "failed" | "postponed"; readonly reason: string };

/** Makes one summary. Never rejects. */
export async function makeSummary(work: SummaryWork, due: DueSummary): Promise<MadeSummary> {
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
