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

/** The metadata may change, e.g. by a heartbeat of the run's, and a write may fail, this many times. */
const MAX_ROUNDS = 5;

export type StoredSummary =
  /** `"elsewhere"`: another run has stored one that reaches as far. With that one, if it fits this run's messages. */
  | { readonly outcome: "stored" | "elsewhere"; readonly summary: Summary }
  | { readonly outcome: "unstored"; readonly summary: Summary; readonly reason: string };

/** Where a conversation's summary is stored. The promises take as long as the store does, and none rejects. */
export interface SummaryStore {
  /** Whether summarising failed so recently that no run tries again yet. */
  readonly isPaused: () => boolean;
  readonly store: (summary: Summary) => Promise<StoredSummary>;
  /** After a failure: a later run may try again, after a pause that grows with each failure. */
  readonly pause: () => Promise<unknown>;
}

/** To be called once the conversation is loaded. */
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
        // What was there before may be a summary of messages that were replaced since, and reach however far.
        (stored) => summaryIn(stored) === summaryBefore || summaryReach(stored) < summary.upTo,
      );
      if (!written.success) return { outcome: "unstored", summary, reason: written.error.message };
      const { data: there } = written;
      if (there === null) return { outcome: "unstored", summary, reason: "the conversation is gone" };
      failures = 0;
      // The answer to an earlier write may have got lost.
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
 * Writes metadata unless what is stored by then speaks against it, which is what it resolves with. Not through the journal's
 * queue: a store that hangs here doesn't hold up the reply. Where the store counts no versions, the last write wins.
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
          // So that a conversation that was erased meanwhile isn't created again.
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
