import type { ConversationMemory, Result } from "@jaf/memory";
import { createFailure, createMemoryConflictError, createSuccess } from "@jaf/memory/engine";
import { loadHead } from "../memory/load.ts";
import { metadataVersionOf } from "../memory/metadata.ts";
import { type LeaseWrite, type LeaseWriteOutcome, leaseFrom, writeLease } from "../memory/metadata-lease.ts";
import type { Journal } from "../memory/run-journal.ts";
import { type Summary, summaryMetadata } from "../memory/summary.ts";
import {
  failedSummaryLease,
  readSummaryLease,
  type SummaryLeaseRecord,
  summaryLeaseMetadata,
} from "../memory/summary-lease-record.ts";
import { toResult } from "../memory/to-result.ts";
import { sleep } from "../timing/abort.ts";

const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 50;

export interface SummaryAttempt {
  /** Random: no other attempt has it. */
  readonly id: string;
  /** The lease that was stored before. */
  readonly previous: SummaryLeaseRecord | undefined;
  readonly leaseMs: number;
}

/** The lease of making a conversation's summary. The promises take as long as the store does, and none rejects. */
export interface SummaryLease {
  /** Takes the lease: of all runs that have seen the same previous lease, the first to write its own has it. */
  readonly acquire: (attempt: SummaryAttempt) => Promise<Result<LeaseWriteOutcome>>;
  /** Stores the summary and releases the lease. Fails if another attempt has the lease, or the conversation was erased. */
  readonly storeSummary: (attempt: SummaryAttempt, summary: Summary) => Promise<Result<void>>;
  /** After a failure: a later run may try again, after a pause that grows with each failure. */
  readonly release: (attempt: SummaryAttempt) => Promise<unknown>;
}

const isOwn = (stored: ConversationMemory | null, { id }: SummaryAttempt): boolean =>
  stored !== null && readSummaryLease(stored)?.id === id;

export function openSummaryLease({ memory, conversationId, history, now }: Journal): SummaryLease {
  const { provider, userId } = memory;
  const owner = userId === undefined ? {} : { userId };
  /** The last version that was seen here; the run itself writes metadata, too. */
  let metadataVersion: number | undefined;

  const lastVersion = (): number | undefined => {
    const { metadataVersion: known } = history().known;
    return known === undefined ? undefined : Math.max(known, metadataVersion ?? 0);
  };

  async function write(metadata: object, idempotencyKey: string): Promise<Result<void>> {
    const { incarnation } = history().known;
    const expected = lastVersion();
    const written = await toResult("appendMessages", () =>
      provider.appendMessages(
        conversationId,
        [],
        { ...owner, ...metadata },
        {
          idempotencyKey,
          // So that a conversation that was erased meanwhile isn't created again.
          ...(incarnation === undefined ? {} : { expectedIncarnation: incarnation }),
          ...(expected === undefined ? {} : { expectedMetadataVersion: expected }),
        },
      ),
    );
    if (written.success && expected !== undefined) metadataVersion = expected + 1;
    return written;
  }

  const comparesVersions = () => lastVersion() !== undefined;

  async function readHead() {
    const head = await loadHead(memory, conversationId);
    const { conversation } = head.success ? head.data : { conversation: null };
    if (conversation !== null) metadataVersion = metadataVersionOf(conversation);
    return head;
  }

  /** Writes what only the holder of the lease may write. */
  async function writeAsHolder(attempt: SummaryAttempt, metadata: object): Promise<Result<void>> {
    const isHeld = (stored: ConversationMemory | null) => isOwn(stored, attempt);
    const leaseWrite: LeaseWrite = {
      write: () => write(metadata, `summary:${attempt.id}`),
      comparesVersions,
      readHead,
      mayReplace: isHeld,
      isStored: isHeld,
    };
    for (let tries = 1; ; tries++) {
      const head = comparesVersions() ? undefined : await readHead();
      const isLost = head?.success === true && !isHeld(head.data.conversation);
      const done = head?.success === false || isLost ? head : await writeLease(leaseWrite);
      if (done.success) {
        const isWritten = "written" in done.data && done.data.written;
        return isWritten ? createSuccess(undefined) : createFailure(lostLease());
      }
      const { retryable, attempts } = done.error;
      if (!retryable || attempts !== undefined || tries === MAX_ATTEMPTS) return done;
      await sleep(Math.random() * FIRST_DELAY_MS * 2 ** (tries - 1), undefined);
    }
  }

  return {
    acquire: (attempt) => {
      const { id, previous, leaseMs } = attempt;
      const { failures } = previous ?? {};
      const record = { id, ...leaseFrom(now(), leaseMs), ...(failures === undefined ? {} : { failures }) };
      return writeLease({
        write: () => write(summaryLeaseMetadata(record), `summary-claim:${id}`),
        comparesVersions,
        readHead,
        mayReplace: (stored) => stored !== null && readSummaryLease(stored)?.id === previous?.id,
        isStored: (stored) => isOwn(stored, attempt),
      });
    },
    storeSummary: (attempt, summary) =>
      writeAsHolder(attempt, {
        ...summaryMetadata(summary),
        ...summaryLeaseMetadata({ id: attempt.id, until: 0 }),
      }),
    release: (attempt) =>
      writeAsHolder(attempt, summaryLeaseMetadata(failedSummaryLease(attempt.id, attempt.previous, now()))),
  };
}

const lostLease = () => createMemoryConflictError("turn", { operation: "appendMessages" });
