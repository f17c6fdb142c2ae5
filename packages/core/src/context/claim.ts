import type { ConversationMemory, Result } from "@jaf/memory";
import { createFailure, createMemoryConflictError, createSuccess } from "@jaf/memory/engine";
import { type ClaimNote, claimMetadata, failedClaim, readClaim } from "../memory/claim-note.ts";
import { compareAndSet, type NoteOutcome, type NoteWrite } from "../memory/compare-and-set.ts";
import type { Journal } from "../memory/journal.ts";
import { leaseFrom } from "../memory/lease.ts";
import { loadHead } from "../memory/load.ts";
import { metadataVersionOf } from "../memory/metadata.ts";
import { settle } from "../memory/settle.ts";
import { type Summary, summaryMetadata } from "../memory/summary.ts";
import { sleep } from "../timing/abort.ts";

const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 50;

export interface Wanted {
  /** Random: no other attempt to make a summary has it. */
  readonly id: string;
  /** The claim that was noted before. */
  readonly previous: ClaimNote | undefined;
  readonly leaseMs: number;
}

/** Every promise of these may hang as long as the store does. None rejects. */
export interface Claims {
  /** Whether this run is to make the summary: of all that see the same claim, the first to note its own. */
  readonly take: (wanted: Wanted) => Promise<Result<NoteOutcome>>;
  /** Stores the summary, unless somebody else has the claim, or the conversation was erased. */
  readonly finish: (wanted: Wanted, summary: Summary) => Promise<Result<void>>;
  /** Lets a later run try, after a pause that grows with each failure. */
  readonly release: (wanted: Wanted) => Promise<unknown>;
}

const isOurs = (stored: ConversationMemory | null, { id }: Wanted): boolean =>
  stored !== null && readClaim(stored)?.id === id;

export function openClaims({ memory, conversationId, history, now, wroteAside }: Journal): Claims {
  const { provider, userId } = memory;
  const owner = userId === undefined ? {} : { userId };
  /** As it was seen by this alone: the run writes metadata, too. */
  let metadataVersion: number | undefined;

  const lastVersion = (): number | undefined => {
    const { metadataVersion: known } = history().known;
    return known === undefined ? undefined : Math.max(known, metadataVersion ?? 0);
  };

  async function write(metadata: object, idempotencyKey: string): Promise<Result<void>> {
    const { incarnation } = history().known;
    const expected = lastVersion();
    wroteAside();
    const written = await settle("appendMessages", () =>
      provider.appendMessages(
        conversationId,
        [],
        { ...owner, ...metadata },
        {
          idempotencyKey,
          // Which keeps a conversation that was erased meanwhile from coming back.
          ...(incarnation === undefined ? {} : { expectedIncarnation: incarnation }),
          ...(expected === undefined ? {} : { expectedMetadataVersion: expected }),
        },
      ),
    );
    if (written.success && expected !== undefined) metadataVersion = expected + 1;
    return written;
  }

  const compares = () => lastVersion() !== undefined;

  async function look() {
    const head = await loadHead(memory, conversationId);
    const { conversation } = head.success ? head.data : { conversation: null };
    if (conversation !== null) metadataVersion = metadataVersionOf(conversation);
    return head;
  }

  /** Writes what only the holder of the claim may write. */
  async function writeAsHolder(wanted: Wanted, metadata: object): Promise<Result<void>> {
    const isHeld = (stored: ConversationMemory | null) => isOurs(stored, wanted);
    const note: NoteWrite = {
      write: () => write(metadata, `summary:${wanted.id}`),
      compares,
      look,
      mayFollow: isHeld,
      isThere: isHeld,
    };
    for (let attempt = 1; ; attempt++) {
      const head = compares() ? undefined : await look();
      const isLost = head?.success === true && !isHeld(head.data.conversation);
      const done = head?.success === false || isLost ? head : await compareAndSet(note);
      if (done.success) {
        const isWritten = "written" in done.data && done.data.written;
        return isWritten ? createSuccess(undefined) : createFailure(lostClaim());
      }
      const { retryable, attempts } = done.error;
      if (!retryable || attempts !== undefined || attempt === MAX_ATTEMPTS) return done;
      await sleep(Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1), undefined);
    }
  }

  return {
    take: (wanted) => {
      const { id, previous, leaseMs } = wanted;
      const { failures } = previous ?? {};
      const claim = { id, ...leaseFrom(now(), leaseMs), ...(failures === undefined ? {} : { failures }) };
      return compareAndSet({
        write: () => write(claimMetadata(claim), `summary-claim:${id}`),
        compares,
        look,
        mayFollow: (stored) => stored !== null && readClaim(stored)?.id === previous?.id,
        isThere: (stored) => isOurs(stored, wanted),
      });
    },
    finish: (wanted, summary) =>
      writeAsHolder(wanted, {
        ...summaryMetadata(summary),
        ...claimMetadata({ id: wanted.id, until: 0 }),
      }),
    release: (wanted) => writeAsHolder(wanted, claimMetadata(failedClaim(wanted.id, wanted.previous, now()))),
  };
}

const lostClaim = () => createMemoryConflictError("turn", { operation: "appendMessages" });
