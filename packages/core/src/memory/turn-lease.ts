import type { Result } from "@jaf/memory";
import { createFailure, createSuccess, unref } from "@jaf/memory/engine";
import type { Spending } from "../cost/spending.ts";
import { abortable } from "../timing/abort.ts";
import type { Append, Appender, AppenderOptions } from "./appender.ts";
import { DEFAULT_TURN_LEASE_MS } from "./config.ts";
import { turnConflict, turnLeaseOf } from "./current-turn.ts";
import { loadHead } from "./load.ts";
import { type ApprovalRecord, type EngineMetadata, type TurnLeaseRecord, toMetadata } from "./metadata.ts";
import { LONGEST_LEASE_MS, leaseFrom, writeLease } from "./metadata-lease.ts";
import { processTime, type StoreTime } from "./store-time.ts";
import { markTurnEnded } from "./unreleased-leases.ts";

const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a write stores in the metadata beside the messages. */
export interface AppendEntry {
  /** The registry key of the agent that goes on from here. */
  readonly agentName: string;
  /** Names the execution and the turn that made the open tool calls. Absent: no call is open. */
  readonly callScope?: string;
  /** The approvals that the open calls wait for. */
  readonly approvals?: ApprovalRecord;
}

/** What a write does with the lease: takes or renews it, or gives it up because the turn is over. */
export type LeaseAction = "hold" | "release";

export interface TurnLeaseOptions
  extends Pick<AppenderOptions, "memory" | "conversationId" | "runId" | "executionId" | "signal"> {
  readonly appender: Appender;
  readonly spending: Pick<Spending, "ofConversation">;
}

/**
 * Lets one run at a time take the turn of a conversation, by a lease in the conversation's metadata. The lease expires
 * `memory.turnLeaseMs` after it was last written, so the turn of a process that died becomes free by itself.
 *
 * A write of messages also writes the lease, and expects the version of the messages that this run knows. So of two runs that
 * write at the same time, only one succeeds. A write of the lease alone expects the version of the metadata, so that a run never
 * overwrites a lease that it hasn't seen. If that write fails because something else in the metadata has changed, e.g. the title,
 * it is repeated.
 */
export interface TurnLease {
  /** To be called once the conversation is loaded, with the lease that was in it and the time of the reading. */
  readonly loaded: (record: TurnLeaseRecord | undefined, time: StoreTime) => void;
  /** Milliseconds since 1970, by the store's clock as far as this run knows it. */
  readonly now: () => number;
  /**
   * Writes the lease without messages. Rejects when the run is aborted while the store is asked whose lease it has.
   * `idempotencyKey`: see `Batch`.
   */
  readonly write: (entry: AppendEntry, action: LeaseAction, idempotencyKey?: string) => Promise<Result<void>>;
  /** The metadata for a write of messages. Call `onWritten` with them, and the same entry, once they are written. */
  readonly metadataFor: (entry: AppendEntry, action: LeaseAction) => EngineMetadata;
  readonly onWritten: (metadata: EngineMetadata, entry: AppendEntry) => void;
  /**
   * To be called before a write of messages. Renews a lease that has expired. Returns a failure if this run may no longer write,
   * because the lease can't be renewed or another run has it.
   */
  readonly ensureHeld: (append: Append) => Promise<Result<void>>;
  /** Stops the heartbeat, and releases the lease if this run has it. If the store fails, the lease stays until it expires. */
  readonly release: () => Promise<void>;
  /** The run is over. If it couldn't release its lease, other runs of this process ignore the lease from now on. */
  readonly markEnded: () => void;
  /** Stops the heartbeat. */
  readonly close: () => void;
}

interface LeaseEntry {
  readonly entry: AppendEntry;
  readonly action: LeaseAction;
  readonly idempotencyKey?: string | undefined;
  /** Reads the head. Default: waits for as long as the store takes. */
  readonly ask?: () => ReturnType<typeof loadHead>;
}

export function openTurnLease(options: TurnLeaseOptions): TurnLease {
  const { memory, conversationId, runId, executionId, signal, appender } = options;
  const leaseMs = Math.min(memory.turnLeaseMs ?? DEFAULT_TURN_LEASE_MS, LONGEST_LEASE_MS);
  /** The lease that the conversation has, as far as this run has seen it. */
  let known: TurnLeaseRecord | undefined;
  let lastEntry: AppendEntry | undefined;
  /** Of the last write, whether or not it is known to have succeeded. */
  let attempted: AppendEntry | undefined;
  /** As the last reading told it. */
  let time = processTime();
  /** Until when no other run can have taken the turn. */
  let heldUntil = 0;
  /** Whether this run ever had the lease. */
  let everHeld = false;
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  let closed = false;
  let count = 0;

  const isOwn = (record: TurnLeaseRecord | undefined): boolean => record?.id === executionId;

  function metadataFor(entry: AppendEntry, action: LeaseAction): EngineMetadata {
    count += 1;
    attempted = entry;
    const spent = options.spending.ofConversation();
    return {
      runId,
      agentName: entry.agentName,
      ...(entry.callScope === undefined ? {} : { toolCallScope: entry.callScope }),
      ...(entry.approvals === undefined ? {} : { approvals: entry.approvals }),
      ...(spent === undefined ? {} : { spent }),
      turn: {
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

  function onWritten(metadata: EngineMetadata, entry: AppendEntry): void {
    const { turn } = metadata;
    known = turn;
    lastEntry = entry;
    heldUntil = turn.until;
    if (heldUntil === 0) {
      stopHeartbeat();
      return;
    }
    everHeld = true;
    // A heartbeat that was being written when the run ended must not start the timer again.
    if (!closed) heartbeat ??= unref(setInterval(sendHeartbeat, Math.min(leaseMs / 3, MAX_TIMER_MS)));
  }

  async function readHead() {
    const head = await loadHead(memory, conversationId, { receiptFor: appender.createdUnder(), signal });
    if (head.success) time = head.data.time;
    return head;
  }

  async function writeNow(append: Append, leaseEntry: LeaseEntry): Promise<Result<void>> {
    const { entry, action, idempotencyKey, ask = readHead } = leaseEntry;
    let metadata: EngineMetadata | undefined;
    const written = await writeLease({
      write: () => {
        metadata = metadataFor(entry, action);
        return append({
          messages: [],
          metadata: toMetadata(metadata),
          idempotencyKey,
          comparesMetadata: true,
        });
      },
      comparesVersions: () => appender.known().metadataVersion !== undefined,
      readHead: async () => {
        const head = await ask();
        if (head.success) appender.observeHead(head.data);
        return head;
      },
      mayReplace: (stored) => {
        const current = turnLeaseOf(stored);
        // The store may have a lease of this run that the run doesn't know of: the answer to its write got lost.
        if (!isSame(current, known) && !isOwn(current)) return false;
        known = current;
        return true;
      },
      isStored: (stored) => isSame(turnLeaseOf(stored), metadata?.turn),
    });
    if (!written.success) return written;
    if (written.data.written) {
      if (metadata !== undefined) onWritten(metadata, entry);
      return createSuccess(undefined);
    }
    stopHeartbeat();
    return createFailure(turnConflict());
  }

  const write: TurnLease["write"] = (entry, action, idempotencyKey) =>
    appender.runExclusive((append) =>
      writeNow(append, { entry, action, idempotencyKey, ask: () => abortable(readHead(), signal) }),
    );

  function sendHeartbeat(): void {
    const entry = lastEntry;
    if (entry === undefined) return;
    void appender.runExclusive(async (append) => {
      // Every other write renews the lease, too: after one of them no heartbeat is due.
      if (heartbeat !== undefined && heldUntil - time.latest() < leaseMs * 0.9)
        await writeNow(append, { entry: lastEntry ?? entry, action: "hold" });
    });
  }

  /** Asks the store whether the conversation's lease is this run's. */
  async function isHeldInStore(): Promise<boolean> {
    const head = await readHead();
    const current = head.success ? turnLeaseOf(head.data.conversation) : undefined;
    if (!head.success || current === undefined || !isOwn(current)) return false;
    appender.observeHead(head.data);
    known = current;
    return true;
  }

  return {
    loaded: (record, readingTime) => {
      known = record;
      time = readingTime;
    },
    now: () => time.now(),
    write,
    metadataFor,
    onWritten,
    ensureHeld: async (append) => {
      if (!everHeld || time.latest() < heldUntil) return createSuccess(undefined);
      if (heartbeat !== undefined && lastEntry !== undefined)
        return writeNow(append, { entry: lastEntry, action: "hold" });
      // The run is over, and this write is late: it may be made if no other run has had the turn since.
      return (await isHeldInStore()) ? createSuccess(undefined) : createFailure(turnConflict());
    },
    release: async () => {
      close();
      await appender.runExclusive(async (append) => {
        const entry = lastEntry ?? attempted;
        if (entry === undefined || !(await isHeldInStore()) || known?.until === 0) return;
        await writeNow(append, { entry, action: "release" });
        heldUntil = 0;
      });
    },
    markEnded: () => {
      const isReleased = everHeld && heldUntil === 0;
      if (attempted !== undefined && !isReleased) markTurnEnded(executionId, leaseMs);
    },
    close,
  };
}

const isSame = (a: TurnLeaseRecord | undefined, b: TurnLeaseRecord | undefined): boolean =>
  a?.id === b?.id && a?.sign === b?.sign;
