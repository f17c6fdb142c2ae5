import type { MemoryErrorUnion, Result } from "@jaf/memory";
import { createFailure, createSuccess, present, unref } from "@jaf/memory/internal";
import { abortable, MAX_TIMER_MS } from "../limits/abort.ts";
import type { Spending } from "../limits/budget.ts";
import { DEFAULT_LEASE_MS } from "../memory-config.ts";
import type { Appends, AppendsOptions } from "./append.ts";
import type { AskedCalls } from "./asked-calls.ts";
import { LONGEST_LEASE_MS, leaseConflict, leaseFrom, leaseOf, markUnreleased } from "./lease-record.ts";
import { loadHead, processTime, type StoreTime } from "./load.ts";
import {
  type ApprovalRecord,
  type EngineMetadata,
  type LeaseRecord,
  type PromptRecord,
  toMetadata,
} from "./metadata.ts";

/** The metadata that a write stores together with the messages. */
export interface AppendEntry {
  /** The registry key of the agent that continues the conversation. */
  readonly agentName: string;
  /** Identifies the pending tool calls by the execution and the step that made them. Absent: no call is pending. */
  readonly callScope?: string;
  /** The approvals that the pending tool calls wait for. Absent: they wait for none. */
  readonly approvals?: ApprovalRecord;
  /** What these calls are. Absent: it is stored already. */
  readonly asked?: AskedCalls;
}

/** A write of metadata ({@link AppendEntry}), and what the write does with the lease. */
export interface EntryWrite {
  readonly entry: AppendEntry;
  /** `"hold"`: takes or renews the lease. `"release"`: releases it, because the run has ended. */
  readonly action: "hold" | "release";
  /** The idempotency key of the write. Default: a unique key. */
  readonly idempotencyKey?: string | undefined;
}

export interface LeaseOptions extends AppendsOptions {
  readonly runId: EngineMetadata["runId"];
  readonly spending: Pick<Spending, "ofConversation">;
  /** The last prompts of the conversation's agents. `undefined`: the run has no ledger. */
  readonly prompts: StoredPrompts | undefined;
}

/** What the run's ledger stores in the conversation. */
export interface StoredPrompts {
  /** Sets the records of the loaded conversation. */
  readonly loaded: (records: readonly PromptRecord[]) => void;
  /** Returns the records to store; `undefined` if there are none. */
  readonly records: () => readonly PromptRecord[] | undefined;
}

/** How many times the write of a lease is tried if other changes of the metadata (e.g. of a title) come in between. */
const MAX_ROUNDS = 8;

/**
 * Opens the lease of a run: a record in the conversation's metadata that lets one run at a time write the conversation.
 * It expires `memory.leaseMs` after it was last written.
 *
 * - A write of messages writes the lease, too. It succeeds only if the version of the messages is the one that this run
 *   knows.
 * - A write of only the lease succeeds only if the version of the metadata is the one that this run knows.
 */
export function openLease(options: LeaseOptions, appends: Appends) {
  const { memory, conversationId, executionId, signal } = options;
  const leaseMs = Math.min(memory.leaseMs ?? DEFAULT_LEASE_MS, LONGEST_LEASE_MS);
  /** The last lease of the conversation that this run has seen, its own or another run's. */
  let known: LeaseRecord | undefined;
  let lastEntry: AppendEntry | undefined;
  /** The metadata that this run last tried to write. */
  let attempted: AppendEntry | undefined;
  /** The store's clock, computed from the last read of the store. */
  let time = processTime();
  /** Until when no other run can have taken the lease, in milliseconds since 1970. */
  let heldUntil = 0;
  /** Whether this run has ever held the lease. */
  let everHeld = false;
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  let closed = false;
  let count = 0;

  const isOwn = (record: LeaseRecord | undefined): boolean => record?.id === executionId;

  /** Returns the metadata for a write. Pass it to `onWritten` when the write has succeeded. */
  function metadataFor({ entry, action }: EntryWrite): EngineMetadata {
    const { agentName, callScope, approvals } = entry;
    const spent = options.spending.ofConversation();
    const prompts = options.prompts?.records();
    count += 1;
    attempted = entry;
    return {
      runId: options.runId,
      agentName,
      ...present({ toolCallScope: callScope, approvals, spent, prompts }),
      lease: {
        id: executionId,
        sign: count,
        ...(action === "release" ? { until: 0 } : leaseFrom(time.now(), leaseMs)),
      },
    };
  }

  function stopHeartbeat(): void {
    clearInterval(heartbeat);
    heartbeat = undefined;
  }
  function close(): void {
    closed = true;
    stopHeartbeat();
  }

  function onWritten({ lease }: EngineMetadata, entry: AppendEntry): void {
    known = lease;
    lastEntry = entry;
    heldUntil = lease.until;
    if (heldUntil === 0) {
      stopHeartbeat();
      return;
    }
    everHeld = true;
    // A heartbeat that is written while the run ends must not restart the timer.
    if (!closed) heartbeat ??= unref(setInterval(sendHeartbeat, Math.min(leaseMs / 3, MAX_TIMER_MS)));
  }

  async function readHead() {
    const head = await loadHead(memory, conversationId, { receiptFor: appends.createdUnder(), signal });
    if (head.success) time = head.data.time;
    return head;
  }

  /**
   * Writes the lease without messages. Returns a conflict if another run has taken the lease. `ask`: loads the
   * conversation's head.
   */
  async function writeAlone(write: EntryWrite, ask = readHead): Promise<Result<void>> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const metadata = metadataFor(write);
      const { idempotencyKey } = write;
      const batch = { messages: [], metadata: toMetadata(metadata, write.entry), idempotencyKey };
      const written = await appends.send({ ...batch, comparesMetadata: true });
      if (!written.success && !isOutdated(written.error)) return written;
      // A store without metadata versions lets the last write win. The head then shows whether this write won.
      const head = written.success && appends.known().metadataVersion !== undefined ? undefined : await ask();
      if (head?.success === false) return head;
      if (head !== undefined) appends.observeHead(head.data);
      const current = head && leaseOf(head.data.conversation);
      if (written.success && (head === undefined || isSame(current, metadata.lease))) {
        onWritten(metadata, write.entry);
        return written;
      }
      // The store can have a lease of this run that the run doesn't know about, because the answer to its write was lost.
      if (written.success || !(isSame(current, known) || isOwn(current))) break;
      // Only something else in the metadata has changed (e.g. the title), so the lease is written again.
      known = current;
    }
    stopHeartbeat();
    return createFailure(leaseConflict());
  }

  async function sendHeartbeat(): Promise<void> {
    if (lastEntry === undefined) return;
    const entry = lastEntry;
    await appends.exclusive(async () => {
      // Every other write renews the lease, too. After such a write no heartbeat is due.
      if (heartbeat !== undefined && heldUntil - time.latest() < leaseMs * 0.9)
        await writeAlone({ entry: lastEntry ?? entry, action: "hold" });
    });
  }

  /** Reads from the store whether this run holds the lease. */
  async function isHeldInStore(): Promise<boolean> {
    const head = await readHead();
    const current = head.success ? leaseOf(head.data.conversation) : undefined;
    if (!head.success || current === undefined || !isOwn(current)) return false;
    appends.observeHead(head.data);
    known = current;
    return true;
  }

  return {
    /** Sets what was loaded. `record`: the lease in the loaded metadata. `readingTime`: the store's clock. */
    loaded: (record: LeaseRecord | undefined, readingTime: StoreTime): void => {
      known = record;
      time = readingTime;
    },
    /** Returns the current time in milliseconds since 1970, by the store's clock. */
    now: () => time.now(),
    /**
     * Writes the lease without messages. Resolves with a conflict if another run has taken the lease. Rejects if the
     * run is aborted while the conversation's head is loaded.
     */
    write: (write: EntryWrite) =>
      appends.exclusive(() => writeAlone(write, () => abortable(readHead(), signal))),
    metadataFor,
    onWritten,
    /**
     * Renews the run's lease if it has expired. Returns a failure if the run may not write, because it has lost the
     * lease. Call this function between `Appends.enter` and a write of messages.
     */
    ensureHeld: async (): Promise<Result<void>> => {
      if (!everHeld || time.latest() < heldUntil) return createSuccess(undefined);
      if (heartbeat !== undefined && lastEntry !== undefined)
        return writeAlone({ entry: lastEntry, action: "hold" });
      // A late write after the run's end is allowed if no other run has held the lease since then.
      return (await isHeldInStore()) ? createSuccess(undefined) : createFailure(leaseConflict());
    },
    /** Stops the heartbeat, and releases the lease if this run holds it. */
    release: async (): Promise<void> => {
      close();
      await appends.exclusive(async () => {
        const entry = lastEntry ?? attempted;
        if (entry === undefined || !(await isHeldInStore()) || known?.until === 0) return;
        await writeAlone({ entry, action: "release" });
        // Set even if the release failed: a late write then checks whether another run has held the lease meanwhile.
        heldUntil = 0;
      });
    },
    /** Marks the run as ended. Other runs of this process then ignore a lease that it couldn't release. */
    markEnded: (): void => {
      const isReleased = isOwn(known) && known?.until === 0;
      if (attempted !== undefined && !isReleased) markUnreleased(executionId, leaseMs);
    },
    /** Stops the heartbeat, which renews the lease. */
    close,
  };
}

const isSame = (a: LeaseRecord | undefined, b: LeaseRecord | undefined): boolean =>
  a?.id === b?.id && a?.sign === b?.sign;

const isOutdated = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConflictError" && error.reason === "metadata-version";
