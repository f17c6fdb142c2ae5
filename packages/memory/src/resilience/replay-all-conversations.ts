import * as z from "zod";
import { parseOptions } from "../codec/schema-issues.ts";
import { lazy } from "../lazy.ts";
import { notifyObserver } from "../observer.ts";
import type { MemoryProvider } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";
import type { DeadLetterEvent } from "./dead-letters.ts";
import { findJournaled } from "./fallback-journal.ts";
import { replayConversation } from "./replay-conversation.ts";

const replaySchema = lazy(() =>
  z.strictObject({
    /** Called for writes that could not be replayed, per conversation and user, at least once each. */
    onDeadLetter: z
      .custom<(event: DeadLetterEvent) => void>((value) => typeof value === "function", {
        error: "expected a function",
      })
      .optional(),
    /** Aborting it ends the replay after the conversation that it is at. */
    signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
  }),
);

export type ReplayOptions = z.input<ReturnType<typeof replaySchema>>;

export interface ReplayReport {
  /** How many conversations had fallback writes. */
  readonly conversations: number;
  /** How many writes the primary has now. */
  readonly writes: number;
  /** How many became dead letters: see `findDeadLetters`. */
  readonly deadLetters: number;
}

/**
 * Replays everything that `withFallback({ writes: "fallback" })` has written to this fallback, of any process, on the
 * primary, one conversation after another. `withFallback` does so by itself once the primary answers; this is for
 * operators, before a fallback is taken out of service say. Calling it again, or beside a `withFallback` that does the
 * same, stores nothing twice.
 *
 * Fails with the first error of a store; what was replayed until then stays so, and calling again goes on. Throws a
 * `TypeError` for invalid options.
 */
export async function replayFallbackWrites(
  primary: MemoryProvider,
  fallback: MemoryProvider,
  options: ReplayOptions = {},
): Promise<Result<ReplayReport>> {
  const { onDeadLetter, signal } = parseOptions(replaySchema(), options, "replay options");
  const stores = {
    fallback,
    callPrimary: <T>(send: (store: MemoryProvider) => Promise<Result<T>>) => send(primary),
    onDeadLetter: (event: DeadLetterEvent) => notifyObserver("onDeadLetter", onDeadLetter, event),
  };
  const journaled = await findJournaled(fallback);
  if (!journaled.success) return journaled;
  let report: ReplayReport = { conversations: 0, writes: 0, deadLetters: 0 };
  for (const conversationId of journaled.data) {
    if (signal?.aborted === true) break;
    const replayed = await replayConversation(stores, conversationId);
    if (!replayed.success) return replayed;
    report = {
      conversations: report.conversations + 1,
      writes: report.writes + replayed.data.writes,
      deadLetters: report.deadLetters + replayed.data.deadLetters,
    };
  }
  return createSuccess(report);
}
