import type { MemoryErrorUnion, Result } from "@jaf/memory";
import { createFailure, createSuccess, present, unref } from "@jaf/memory/internal";
import { abortable, MAX_TIMER_MS } from "../limits/abort.ts";
import type { Spending } from "../limits/budget.ts";
import { DEFAULT_LEASE_MS } from "../memory-config.ts";
import type { Appends, AppendsOptions } from "./append.ts";
import { LONGEST_LEASE_MS, leaseConflict, leaseFrom, leaseOf, markUnreleased } from "./lease-record.ts";
import { loadHead, processTime, type StoreTime } from "./load.ts";
import { type ApprovalRecord, type EngineMetadata, type LeaseRecord, toMetadata } from "./metadata.ts";

/** What a write stores in the metadata beside the messages. */
export interface AppendEntry {
  /** The registry key of the agent that goes on from here. */
  readonly agentName: string;
  /** Names the execution and the step that made the open tool calls. Absent: no call is open. */
  readonly callScope?: string;
  /** The approvals that the open calls wait for. */
  readonly approvals?: ApprovalRecord;
}

/** A write of an entry, with what it does with the lease. */
export interface EntryWrite {
  readonly entry: AppendEntry;
  /** Takes or renews the lease, or releases it because the run is over. */
  readonly action: "hold" | "release";
  /** See `Batch`. */
  readonly idempotencyKey?: string | undefined;
}

export interface LeaseOptions extends AppendsOptions {
  readonly runId: EngineMetadata["runId"];
  readonly spending: Pick<Spending, "ofConversation">;
}

/** Somebody else may change the metadata, e.g. a title, this many times while a lease is being written. */
const MAX_ROUNDS = 8;

/**
 * Lets one run at a time write a conversation, by a lease in the conversation's metadata. The lease expires
 * `memory.leaseMs` after it was last written, so the lease of a process that died becomes free by itself.
 *
 * A write of messages also writes the lease, and expects the version of the messages that this run knows. So of two runs that
 * write at the same time, only one succeeds. A write of the lease alone expects the version of the metadata, so that a run never
 * overwrites a lease that it hasn't seen.
 */
export function openLease(options: LeaseOptions, appends: Appends) {
  const { memory, conversationId, executionId, signal } = options;
  const leaseMs = Math.min(memory.leaseMs ?? DEFAULT_LEASE_MS, LONGEST_LEASE_MS);
  /** The lease that the conversation has, as far as this run has seen it. */
  let known: LeaseRecord | undefined;
  let lastEntry: AppendEntry | undefined;
  /** Of the last write, whether or not it is known to have succeeded. */
  let attempted: AppendEntry | undefined;
  /** As the last reading told it. */
  let time = processTime();
  /** Until when no other run can have taken the lease. */
  let heldUntil = 0;
  /** Whether this run ever had the lease. */
  let everHeld = false;
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  let closed = false;
  let count = 0;

  const isOwn = (record: LeaseRecord | undefined): boolean => record?.id === executionId;

  /** The metadata for a write. Call `onWritten` with them, and the same entry, once they are written. */
  function metadataFor({ entry, action }: EntryWrite): EngineMetadata {
    const { agentName, callScope, approvals } = entry;
    const spent = options.spending.ofConversation();
    count += 1;
    attempted = entry;
    return {
      runId: options.runId,
      agentName,
      ...present({ toolCallScope: callScope, approvals, spent }),
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
    // A heartbeat that was being written when the run ended must not start the timer again.
    if (!closed) heartbeat ??= unref(setInterval(sendHeartbeat, Math.min(leaseMs / 3, MAX_TIMER_MS)));
  }

  async function readHead() {
    const head = await loadHead(memory, conversationId, { receiptFor: appends.createdUnder(), signal });
    if (head.success) time = head.data.time;
    return head;
  }

  /**
   * Writes the lease alone, by compare-and-set. Where the store compares metadata versions, one of several competing writes
   * succeeds; where it doesn't, the last wins, as far as the writers can see by reading the head. It is written again where
   * something else in the metadata has changed, e.g. the title. `ask` reads the head.
   */
  async function writeAlone(write: EntryWrite, ask = readHead): Promise<Result<void>> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const metadata = metadataFor(write);
      const { idempotencyKey } = write;
      const batch = { messages: [], metadata: toMetadata(metadata), idempotencyKey };
      const written = await appends.send({ ...batch, comparesMetadata: true });
      if (!written.success && !isOutdated(written.error)) return written;
      const head = written.success && appends.known().metadataVersion !== undefined ? undefined : await ask();
      if (head?.success === false) return head;
      if (head !== undefined) appends.observeHead(head.data);
      const current = head && leaseOf(head.data.conversation);
      if (written.success && (head === undefined || isSame(current, metadata.lease))) {
        onWritten(metadata, write.entry);
        return written;
      }
      // The store may have a lease of this run that the run doesn't know of: the answer to its write got lost.
      if (written.success || !(isSame(current, known) || isOwn(current))) break;
      known = current;
    }
    stopHeartbeat();
    return createFailure(leaseConflict());
  }

  async function sendHeartbeat(): Promise<void> {
    if (lastEntry === undefined) return;
    const entry = lastEntry;
    await appends.exclusive(async () => {
      // Every other write renews the lease, too: after one of them no heartbeat is due.
      if (heartbeat !== undefined && heldUntil - time.latest() < leaseMs * 0.9)
        await writeAlone({ entry: lastEntry ?? entry, action: "hold" });
    });
  }

  /** Asks the store whether the conversation's lease is this run's. */
  async function isHeldInStore(): Promise<boolean> {
    const head = await readHead();
    const current = head.success ? leaseOf(head.data.conversation) : undefined;
    if (!head.success || current === undefined || !isOwn(current)) return false;
    appends.observeHead(head.data);
    known = current;
    return true;
  }

  return {
    /** To be called once the conversation is loaded, with the lease that was in it and the time of the reading. */
    loaded: (record: LeaseRecord | undefined, readingTime: StoreTime): void => {
      known = record;
      time = readingTime;
    },
    /** Milliseconds since 1970, by the store's clock as far as this run knows it. */
    now: () => time.now(),
    /** Writes the lease without messages. Rejects when the run is aborted while the store is asked whose lease it has. */
    write: (write: EntryWrite) =>
      appends.exclusive(() => writeAlone(write, () => abortable(readHead(), signal))),
    metadataFor,
    onWritten,
    /**
     * To be called before a write of messages, behind `Appends.enter`. Renews a lease that has expired. Returns a failure if
     * this run may no longer write, because the lease can't be renewed or another run has it.
     */
    ensureHeld: async (): Promise<Result<void>> => {
      if (!everHeld || time.latest() < heldUntil) return createSuccess(undefined);
      if (heartbeat !== undefined && lastEntry !== undefined)
        return writeAlone({ entry: lastEntry, action: "hold" });
      // The run is over, and this write is late: it may be made if no other run has held the lease since.
      return (await isHeldInStore()) ? createSuccess(undefined) : createFailure(leaseConflict());
    },
    /** Stops the heartbeat, and releases the lease if this run has it. If the store fails, it stays until it expires. */
    release: async (): Promise<void> => {
      close();
      await appends.exclusive(async () => {
        const entry = lastEntry ?? attempted;
        if (entry === undefined || !(await isHeldInStore()) || known?.until === 0) return;
        await writeAlone({ entry, action: "release" });
        // Also if that failed: a late write asks whether another run has held the lease since.
        heldUntil = 0;
      });
    },
    /** The run is over. If it couldn't release its lease, other runs of this process ignore the lease from now on. */
    markEnded: (): void => {
      const isReleased = isOwn(known) && known?.until === 0;
      if (attempted !== undefined && !isReleased) markUnreleased(executionId, leaseMs);
    },
    /** Stops the heartbeat. */
    close,
  };
}

const isSame = (a: LeaseRecord | undefined, b: LeaseRecord | undefined): boolean =>
  a?.id === b?.id && a?.sign === b?.sign;

const isOutdated = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConflictError" && error.reason === "metadata-version";
