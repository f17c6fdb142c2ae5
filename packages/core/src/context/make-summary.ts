import { describeCause, type Message } from "@jaf/memory";
import { abortable } from "../engine/abort.ts";
import { type Claims, isOurs } from "./claim.ts";
import type { Summarize } from "./summarize.ts";
import { type ClaimNote, cleanSummary, gapsBefore, readSummary, type Summary } from "./summary.ts";

/** A summary that is to be made. */
export interface DueSummary {
  readonly previous: Summary | undefined;
  /** What goes into it beside the one before. */
  readonly messages: readonly Message[];
  /** The position of the first that isn't summarised, and that of the last that is to be. */
  readonly from: number;
  readonly upTo: number;
  /** The version that the conversation has now, if nobody else has said anything. */
  readonly version: number;
  /** The claim that was noted last. */
  readonly claim: ClaimNote | undefined;
}

export interface SummaryWork {
  readonly claims: Claims;
  readonly summarize: Summarize;
  /** Aborted when the run is, and when the time is up. */
  readonly signal: AbortSignal;
  readonly isAborted: () => boolean;
  /** For how long the claim stands should this process be gone. */
  readonly leaseMs: number;
}

export type MadeSummary =
  | { readonly outcome: "stored"; readonly summary: Summary; readonly claim: ClaimNote }
  | { readonly outcome: "unstored"; readonly summary: Summary; readonly reason: string }
  /** With what the other has made, if it is done. */
  | { readonly outcome: "elsewhere"; readonly summary?: Summary | undefined }
  | { readonly outcome: "failed"; readonly reason: string };

/** Makes one summary, unless somebody else does. Never rejects. */
export async function makeSummary(work: SummaryWork, due: DueSummary): Promise<MadeSummary> {
  const { claims, isAborted, leaseMs } = work;
  const { claim: previous, from, version, upTo } = due;
  if (previous !== undefined && previous.until > Date.now()) return { outcome: "elsewhere" };
  const id = crypto.randomUUID();
  const taken = await claims.take({ id, from, version, previous, leaseMs });
  if (!taken.success) {
    const { _tag, message } = taken.error;
    return _tag === "MemoryConflictError" ? { outcome: "elsewhere" } : { outcome: "failed", reason: message };
  }
  if (!isOurs(taken.data, id)) {
    return { outcome: "elsewhere", summary: taken.data === null ? undefined : readSummary(taken.data) };
  }
  const asked = await ask(work, due);
  if ("reason" in asked) {
    // An aborted run doesn't wait for the store; its claim lapses.
    if (!isAborted()) await claims.release(id);
    return { outcome: "failed", reason: asked.reason };
  }
  const summary = { text: asked.text, upTo, gaps: gapsBefore(from, due.previous) };
  const stored = await claims.finish(id, summary);
  return stored.success
    ? { outcome: "stored", summary, claim: { id, until: 0 } }
    : { outcome: "unstored", summary, reason: stored.error.message };
}

async function ask(
  { summarize, signal }: SummaryWork,
  { previous, messages }: DueSummary,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const before = previous === undefined ? {} : { previous: previous.text };
  try {
    const asking = Promise.resolve().then(() => summarize({ ...before, messages, signal }));
    const returned: unknown = await abortable(asking, signal);
    const text = typeof returned === "string" ? cleanSummary(returned) : "";
    return text === "" ? { reason: "summarize returned no text" } : { text };
  } catch (thrown) {
    return { reason: describeCause(thrown).message };
  }
}
