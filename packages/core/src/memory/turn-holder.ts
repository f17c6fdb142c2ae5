import type { Result } from "@jaf/memory";
import { createFailure, createSuccess, unref } from "@jaf/memory/engine";
import type { Spending } from "../cost/spending.ts";
import { abortable } from "../timing/abort.ts";
import type { Append, Appender, AppenderOptions } from "./appender.ts";
import { compareAndSet } from "./compare-and-set.ts";
import { DEFAULT_TURN_LEASE_MS } from "./config.ts";
import { noteTurnEnded } from "./ended-turns.ts";
import { LONGEST_LEASE_MS, leaseFrom } from "./lease.ts";
import { loadHead } from "./load.ts";
import { type ApprovalNote, type EngineMetadata, type TurnNote, toMetadata } from "./metadata.ts";
import { processTime, type StoreTime } from "./store-time.ts";
import { turnConflict, turnOf } from "./turn.ts";

const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a write notes beside the messages. */
export interface AppendEntry {
  /** The registry key of the agent that goes on from here. */
  readonly agentName: string;
  /** Which execution's which turn the open tool calls are of; absent: no call is open. */
  readonly callScope?: string;
  /** What the open calls wait for. */
  readonly approvals?: ApprovalNote;
}

export interface HolderOptions
  extends Pick<AppenderOptions, "memory" | "conversationId" | "runId" | "executionId" | "signal"> {
  readonly appender: Appender;
  readonly spending: Pick<Spending, "ofConversation">;
}

/**
 * Keeps the turn of a conversation, by notes in its metadata. A write of messages carries one, and expects the version,
 * so that no two runs can both make it. A note without messages expects the metadata version: nobody overwrites a note
 * that he hasn't seen. Where something else in the metadata has changed, a title say, it is written again.
 */
export interface TurnHolder {
  /** The note that the conversation was loaded with, and what time it was. */
  readonly loaded: (turn: TurnNote | undefined, time: StoreTime) => void;
  /** Milliseconds since 1970, by the store's clock as far as this run knows it. */
  readonly now: () => number;
  /**
   * Notes something without messages. `until`: for how long the turn goes on, `"over"` if it doesn't. Rejects when the
   * run is aborted while the store is asked whose note it has. `idempotencyKey`: see `Batch`.
   */
  readonly note: (
    entry: AppendEntry,
    until: "lease" | "over",
    idempotencyKey?: string,
  ) => Promise<Result<void>>;
  /** The note that goes with messages. Call `noted` with it, and with what it was made of, once they are written. */
  readonly make: (entry: AppendEntry, until: "lease" | "over") => EngineMetadata;
  readonly noted: (metadata: EngineMetadata, entry: AppendEntry) => void;
  /** The last note of this run that is there. */
  readonly lastNoted: () => EngineMetadata | undefined;
  /** Whether this run may still write, as far as its own time and, where that has lapsed, the store say. */
  readonly confirm: (append: Append) => Promise<Result<void>>;
  /** Gives the turn back, if this run has it. */
  readonly giveUp: () => Promise<void>;
  /** The run is over: where it couldn't give the turn back, the next one of this process takes it all the same. */
  readonly leave: () => void;
  /** No sign of life is given after this. */
  readonly close: () => void;
}

interface Noting {
  readonly entry: AppendEntry;
  readonly until: "lease" | "over";
  readonly idempotencyKey?: string | undefined;
  /** Reads the head. Default: for as long as the store takes. */
  readonly ask?: () => ReturnType<typeof loadHead>;
}

export function createTurnHolder(options: HolderOptions): TurnHolder {
  const { memory, conversationId, runId, executionId, signal, appender } = options;
  const leaseMs = Math.min(memory.turnLeaseMs ?? DEFAULT_TURN_LEASE_MS, LONGEST_LEASE_MS);
  /** The last note of the conversation, as far as this run has seen it. */
  let known: TurnNote | undefined;
  let lastNoted: EngineMetadata | undefined;
  let last: AppendEntry | undefined;
  /** What was noted last, whether or not that was seen to be there. */
  let tried: AppendEntry | undefined;
  /** As the last reading told it. */
  let time = processTime();
  /** Until when nobody else may have thought this run dead. */
  let heldUntil = 0;
  /** Whether this run ever noted that it has the turn. */
  let hasHeld = false;
  let signs: ReturnType<typeof setInterval> | undefined;
  let closed = false;
  let count = 0;

  const isOurs = (turn: TurnNote | undefined): boolean => turn?.id === executionId;

  function make(entry: AppendEntry, until: "lease" | "over"): EngineMetadata {
    count += 1;
    tried = entry;
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
        ...(until === "over" ? { until: 0 } : leaseFrom(time.now(), leaseMs)),
      },
    };
  }

  function stopSigns(): void {
    clearInterval(signs);
    signs = undefined;
  }
  function close(): void {
    closed = true;
    stopSigns();
  }

  function see(metadata: EngineMetadata, entry: AppendEntry): void {
    const { turn } = metadata;
    known = turn;
    lastNoted = metadata;
    last = entry;
    heldUntil = turn.until;
    if (heldUntil === 0) {
      stopSigns();
      return;
    }
    hasHeld = true;
    // A sign that was on its way when the run ended must not be the first of many.
    if (!closed) signs ??= unref(setInterval(giveSign, Math.min(leaseMs / 3, MAX_TIMER_MS)));
  }

  async function look() {
    const head = await loadHead(memory, conversationId, { receiptFor: appender.madeUnder(), signal });
    if (head.success) time = head.data.time;
    return head;
  }

  async function noteNow(append: Append, noting: Noting): Promise<Result<void>> {
    const { entry, until, idempotencyKey, ask = look } = noting;
    let metadata: EngineMetadata | undefined;
    const noted = await compareAndSet({
      write: () => {
        metadata = make(entry, until);
        return append({
          messages: [],
          metadata: toMetadata(metadata),
          idempotencyKey,
          comparesMetadata: true,
        });
      },
      compares: () => appender.known().metadataVersion !== undefined,
      look: async () => {
        const head = await ask();
        if (head.success) appender.looked(head.data);
        return head;
      },
      mayFollow: (stored) => {
        const now = turnOf(stored);
        // One of this run's own may be there unknown to it: the answer of the write got lost.
        if (!isSame(now, known) && !isOurs(now)) return false;
        known = now;
        return true;
      },
      isThere: (stored) => isSame(turnOf(stored), metadata?.turn),
    });
    if (!noted.success) return noted;
    if (noted.data.written) {
      if (metadata !== undefined) see(metadata, entry);
      return createSuccess(undefined);
    }
    stopSigns();
    return createFailure(turnConflict());
  }

  const note: TurnHolder["note"] = (entry, until, idempotencyKey) =>
    appender.inTurn((append) =>
      noteNow(append, { entry, until, idempotencyKey, ask: () => abortable(look(), signal) }),
    );

  function giveSign(): void {
    // Only while nothing else is being written: what is written is a sign, too.
    const entry = last;
    if (entry === undefined) return;
    void appender.inTurn(async (append) => {
      if (signs !== undefined && heldUntil - time.latest() < leaseMs * 0.9)
        await noteNow(append, { entry: last ?? entry, until: "lease" });
    });
  }

  /** Whether the last note that the store has is of this run. */
  async function askStore(): Promise<boolean> {
    const head = await look();
    const now = head.success ? turnOf(head.data.conversation) : undefined;
    if (!head.success || now === undefined || !isOurs(now)) return false;
    appender.looked(head.data);
    known = now;
    return true;
  }

  return {
    loaded: (turn, readTime) => {
      known = turn;
      time = readTime;
    },
    now: () => time.now(),
    note,
    make,
    noted: see,
    lastNoted: () => lastNoted,
    confirm: async (append) => {
      if (!hasHeld || time.latest() < heldUntil) return createSuccess(undefined);
      if (signs !== undefined && last !== undefined) return noteNow(append, { entry: last, until: "lease" });
      // The run is over, and this comes late: good if nobody has had the turn since.
      return (await askStore()) ? createSuccess(undefined) : createFailure(turnConflict());
    },
    giveUp: async () => {
      close();
      await appender.inTurn(async (append) => {
        const entry = last ?? tried;
        if (entry === undefined || !(await askStore()) || known?.until === 0) return;
        await noteNow(append, { entry, until: "over" });
        heldUntil = 0;
      });
    },
    leave: () => {
      const isGivenBack = hasHeld && heldUntil === 0;
      if (tried !== undefined && !isGivenBack) noteTurnEnded(executionId, leaseMs);
    },
    close,
  };
}

const isSame = (a: TurnNote | undefined, b: TurnNote | undefined): boolean =>
  a?.id === b?.id && a?.sign === b?.sign;
