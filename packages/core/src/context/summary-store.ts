import type { ConversationMemory, MemoryErrorUnion, Result } from "@jaf/memory";
import { backoffDelayMs, createSuccess, present } from "@jaf/memory/internal";
import { sleep } from "../limits/abort.ts";
import type { Journal } from "../stored/journal.ts";
import { loadHead } from "../stored/load.ts";
import { firstPositionOf, metadataVersionOf } from "../stored/metadata.ts";
import { toResult } from "../stored/provider-result.ts";
import {
  isPaused,
  pauseAfter,
  readSummary,
  readSummaryPause,
  SUMMARY_KEY,
  type Summary,
  summaryMetadata,
  summaryPauseMetadata,
  summaryReach,
} from "../stored/summary-metadata.ts";

/**
 * How many times a write is tried. It is tried again after a transient error or a change of the conversation's
 * metadata.
 */
const MAX_ROUNDS = 5;

export type StoredSummary =
  /**
   * `"elsewhere"`: another run has stored a summary of at least as many messages. `summary`: the summary to use in this
   * run.
   */
  | { readonly outcome: "stored" | "elsewhere"; readonly summary: Summary }
  | { readonly outcome: "unstored"; readonly summary: Summary; readonly reason: string };

/** The store of a conversation's summary. Its promises never reject, and wait for the memory provider without a time limit. */
export interface SummaryStore {
  /** Returns whether making a summary failed so recently that it isn't tried yet. */
  readonly isPaused: () => boolean;
  readonly store: (summary: Summary) => Promise<StoredSummary>;
  /** Stores a pause after a failure, which grows with each failure. */
  readonly pause: () => Promise<unknown>;
}

/** Opens the summary store. Call this function after the conversation is loaded. */
export function openSummaryStore(journal: Journal): SummaryStore {
  const { history, now } = journal;
  const { stored: before } = history();
  const loaded = { messages: before?.messages ?? [], first: firstPositionOf(before) };
  const summaryIn = (stored: ConversationMemory | null) => JSON.stringify(stored?.metadata?.[SUMMARY_KEY]);
  const summaryBefore = summaryIn(before);
  const pause = readSummaryPause(before);
  let failures = pause?.failures ?? 0;

  return {
    isPaused: () => isPaused(pause, now()),
    store: async (summary) => {
      const metadata = { ...summaryMetadata(summary), ...summaryPauseMetadata(undefined) };
      const written = await compareAndSet(
        journal,
        metadata,
        // The summary from before this run can include messages that were replaced since then. So the position of its last
        // message doesn't count.
        (stored) => summaryIn(stored) === summaryBefore || summaryReach(stored) < summary.upTo,
      );
      if (!written.success) return { outcome: "unstored", summary, reason: written.error.message };
      const { data: there } = written;
      if (there === null) return { outcome: "unstored", summary, reason: "the conversation is gone" };
      failures = 0;
      // An earlier write of this run can have succeeded although its answer was lost.
      const isOwn = there === "written" || readSummary(there, loaded)?.text === summary.text;
      return isOwn
        ? { outcome: "stored", summary }
        : { outcome: "elsewhere", summary: readSummary(there, loaded) ?? summary };
    },
    pause: () =>
      compareAndSet(
        journal,
        summaryPauseMetadata(pauseAfter(failures + 1, now())),
        (stored) => (readSummaryPause(stored)?.failures ?? 0) === failures,
      ),
  };
}

/**
 * Writes metadata if `mayReplace` returns `true` for the stored conversation, and resolves with `"written"`. Otherwise
 * resolves with the stored conversation, or with `null` if it was deleted.
 */
async function compareAndSet(
  { memory, conversationId, history }: Journal,
  metadata: Readonly<Record<string, unknown>>,
  mayReplace: (stored: ConversationMemory) => boolean,
): Promise<Result<"written" | ConversationMemory | null>> {
  const { provider, userId } = memory;
  const idempotencyKey = `summary:${crypto.randomUUID()}`;
  for (let round = 1; ; round++) {
    const head = await loadHead(memory, conversationId);
    if (!head.success) return head;
    const { conversation } = head.data;
    if (conversation === null || !mayReplace(conversation)) return createSuccess(conversation);
    const { incarnation } = history().known;
    const version = metadataVersionOf(conversation);
    const written = await toResult("appendMessages", () =>
      provider.appendMessages(
        conversationId,
        [],
        { ...present({ userId }), ...metadata },
        {
          idempotencyKey,
          // A conversation that was erased meanwhile must not be created again.
          ...present({ expectedIncarnation: incarnation, expectedMetadataVersion: version }),
        },
      ),
    );
    if (written.success) return createSuccess("written");
    if (round === MAX_ROUNDS || !isWorthRetrying(written.error)) return written;
    await sleep(backoffDelayMs(round), undefined);
  }
}

const isWorthRetrying = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConflictError"
    ? error.reason === "metadata-version"
    : error.retryable && error.attempts === undefined;
