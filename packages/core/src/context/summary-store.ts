import type { ConversationMemory, MemoryErrorUnion, Result } from "@jaf/memory";
import { backoffDelayMs, createSuccess, present } from "@jaf/memory/internal";
import { sleep } from "../limits/abort.ts";
import type { Journal } from "../stored/journal.ts";
import { loadHead, toResult } from "../stored/load.ts";
import { firstPositionOf, metadataVersionOf } from "../stored/metadata.ts";
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
} from "../stored/summary.ts";

/** How many times a write is tried if the metadata changes, e.g. by the run's heartbeat, or a write fails. */
const MAX_ROUNDS = 5;

export type StoredSummary =
  /**
   * `"elsewhere"`: another run has stored a summary up to the same position or later. `summary` is that summary, if it matches
   * this run's messages.
   */
  | { readonly outcome: "stored" | "elsewhere"; readonly summary: Summary }
  | { readonly outcome: "unstored"; readonly summary: Summary; readonly reason: string };

/** The store of a conversation's summary. The promises wait for the store without a limit and never reject. */
export interface SummaryStore {
  /** Returns whether summarising failed recently and isn't retried yet. */
  readonly isPaused: () => boolean;
  readonly store: (summary: Summary) => Promise<StoredSummary>;
  /** Stores a pause after a failure. A later run tries again after the pause, which grows with each failure. */
  readonly pause: () => Promise<unknown>;
}

/** Opens the summary store. Call it after the conversation is loaded. */
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
        // The summary from before this run can be of messages that were replaced since, so its position doesn't count.
        (stored) => summaryIn(stored) === summaryBefore || summaryReach(stored) < summary.upTo,
      );
      if (!written.success) return { outcome: "unstored", summary, reason: written.error.message };
      const { data: there } = written;
      if (there === null) return { outcome: "unstored", summary, reason: "the conversation is gone" };
      failures = 0;
      // The answer to an earlier write can have been lost.
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
 * Writes metadata if the stored conversation still allows it; otherwise resolves with the stored conversation. Doesn't use the
 * journal's queue, so a store that hangs here doesn't delay the reply. If the store has no versions, the last write wins.
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
