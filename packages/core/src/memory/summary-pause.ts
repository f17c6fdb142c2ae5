import type { ConversationMemory } from "@jaf/memory";
import * as z from "zod";
import { isInFuture } from "./lease.ts";

const KEY = "jafSummaryPause";
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/** Without it, each run would wait for the whole timeout of a broken summarizer. The names of the fields are stored. */
export interface SummaryPause {
  /** How many attempts in a row have failed. */
  readonly failures: number;
  /** Milliseconds since 1970, by the store's clock, before which no run tries again. */
  readonly retryAt: number;
}

const pauseSchema = z.object({ failures: z.int().min(1), retryAt: z.number() });

/** Anybody may have written metadata: `undefined` for what isn't as the engine writes it. */
export const readSummaryPause = (conversation: ConversationMemory | null): SummaryPause | undefined =>
  pauseSchema.safeParse(conversation?.metadata?.[KEY]).data;

/** `undefined`: the last attempt succeeded. */
export const summaryPauseMetadata = (pause: SummaryPause | undefined): Readonly<Record<string, unknown>> => ({
  [KEY]: pause ?? null,
});

export const pauseAfter = (failures: number, now: number): SummaryPause => ({
  failures,
  retryAt: now + Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS),
});

export const isPaused = (pause: SummaryPause | undefined, now: number): boolean =>
  pause !== undefined && isInFuture(pause.retryAt, { now, span: LONGEST_PAUSE_MS });
