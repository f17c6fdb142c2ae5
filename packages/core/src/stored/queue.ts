import type { MemoryProvider, Result } from "@jaf/memory";
import { createFailure, createSuccess } from "@jaf/memory/internal";
import { abortable, sleep } from "../limits/abort.ts";
import { DEFAULT_QUEUE_TIMEOUT_MS } from "../memory-config.ts";
import type { Journal } from "./journal.ts";
import { incarnationConflict, leaseConflict, leaseOfAnother } from "./lease-record.ts";
import { type Head, type Loaded, loadConversation, loadHead, storedOutcomeOf } from "./load.ts";
import type { Tail } from "./tail.ts";

const FIRST_POLL_MS = 10;
const LONGEST_POLL_MS = 250;
/** The minimum polling interval, as a multiple of the store's answer time. */
const BACKOFF_FACTOR = 4;

/** Waits for the lease of a stored conversation, then loads the conversation. */
export interface LeaseQueue {
  /**
   * Reads the conversation while no other run holds its lease. A conflict if another run holds the lease and this run doesn't
   * queue or its queue timeout is over, or if the conversation was erased meanwhile. Rejects if the run is aborted meanwhile.
   * `tail`: how to read only the end; absent: all messages are read. `isReread`: the conversation is read a second time while
   * this run keeps its place in the queue.
   */
  readonly load: (tail: Tail | undefined, isReread: boolean) => Promise<Result<Loaded>>;
  /** Returns whether the run can load again after a conflict. */
  readonly mayWait: () => boolean;
  /** Leaves the queue: the next run of this process is first. */
  readonly leave: () => void;
}

export const openLeaseQueue = (journal: Journal, signal: AbortSignal | undefined): LeaseQueue =>
  journal.memory.concurrency === "queue"
    ? openQueue(journal, signal)
    : {
        load: async (tail) => (await loadFree(journal, { tail, signal })) ?? createFailure(leaseConflict()),
        mayWait: () => false,
        leave: () => {},
      };

/** Loads the conversation; `undefined` if another run holds the lease. */
async function loadFree(
  { memory, conversationId, executionId, runKey, owner }: Journal,
  { tail, signal }: { readonly tail: Tail | undefined; readonly signal: AbortSignal | undefined },
): Promise<Result<Loaded> | undefined> {
  const reading = loadConversation(memory, conversationId, { signal, tail, owner, receiptFor: runKey });
  const loaded = await abortable(reading, signal);
  if (!loaded.success || leaseOfAnother(loaded.data, executionId) === undefined) return loaded;
  // A run with a stored reply needs no lease.
  return storedOutcomeOf(loaded.data)?.kind === "replied" ? loaded : undefined;
}

const jittered = (milliseconds: number): number => milliseconds * (0.5 + Math.random());

/** Resolves after the delay. Rejects if the run is aborted. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, signal);
  if (signal?.aborted === true) throw signal.reason;
}

/** The state of a waiting run. */
interface Waiting {
  readonly journal: Journal;
  readonly signal: AbortSignal | undefined;
  /** Returns the milliseconds until the run gives up. */
  readonly msLeft: () => number;
  /** Returns whether the conversation is still the one that the run saw first. */
  readonly isSame: (head: Head) => boolean;
  /** Whether the run has seen another process hold the lease. */
  isContended: boolean;
}

function openQueue(journal: Journal, signal: AbortSignal | undefined): LeaseQueue {
  const { memory, conversationId } = journal;
  const deadline = performance.now() + (memory.queueTimeoutMs ?? DEFAULT_QUEUE_TIMEOUT_MS);
  const msLeft = () => deadline - performance.now();
  const waiting: Waiting = { journal, signal, msLeft, isSame: openIdentity(), isContended: false };
  const leases = leasesOf(memory.provider);
  let leaveQueue: (() => void) | undefined;
  let acquiredAt: number | undefined;

  /** Returns the delay before this run tries to take the lease, so other processes can take it first. */
  function pauseMs(): number {
    if (acquiredAt === undefined) return leases.pauseMs(conversationId);
    // The lease was free, and another run was faster.
    waiting.isContended = true;
    return jittered(FIRST_POLL_MS);
  }

  return {
    load: async (tail, isReread) => {
      if (leaveQueue === undefined) {
        const { ready, leave } = joinProcessQueue(memory.provider, conversationId);
        leaveQueue = leave;
        const entered = ready && (await waitInProcessQueue(waiting, ready));
        if (entered?.success === false) return entered;
      }
      const othersMs = isReread ? 0 : pauseMs();
      if (othersMs > 0) await pause(Math.min(othersMs, msLeft() / 2), signal);
      // Reading the head costs less than a useless read of the conversation.
      for (let polls = othersMs > 0; ; polls = true) {
        const free = polls ? await untilFree(waiting) : undefined;
        if (free?.success === false) return free;
        const loaded = await loadFree(journal, { tail, signal });
        if (loaded === undefined) continue;
        if (loaded.success && !waiting.isSame(loaded.data)) return createFailure(incarnationConflict());
        acquiredAt = performance.now();
        return loaded;
      }
    },
    mayWait: () => msLeft() > 0 && signal?.aborted !== true,
    leave: () => {
      const { isContended } = waiting;
      if (acquiredAt !== undefined) leases.ended(conversationId, { acquiredAt, isContended });
      leaveQueue?.();
    },
  };
}

const headOf = ({ journal: { memory, conversationId, owner }, signal }: Waiting): Promise<Result<Head>> =>
  abortable(loadHead(memory, conversationId, { owner, signal }), signal);

/**
 * Resolves when the run is the first of this process, or its time is up. Reads the head first, to notice if the conversation is
 * erased meanwhile.
 */
async function waitInProcessQueue(waiting: Waiting, ready: Promise<void>): Promise<Result<Head>> {
  const head = await headOf(waiting);
  if (!head.success) return head;
  waiting.isSame(head.data);
  const over = new AbortController();
  try {
    const timeout = sleep(Math.max(0, waiting.msLeft()), over.signal);
    await abortable(Promise.race([ready, timeout]), waiting.signal);
  } finally {
    over.abort();
  }
  return head;
}

/** Resolves when no run holds the lease, or with a conflict if the time is up or the conversation was erased. */
async function untilFree(waiting: Waiting): Promise<Result<void>> {
  const { journal, signal, msLeft, isSame } = waiting;
  let seen: string | undefined;
  for (let pollMs = FIRST_POLL_MS; ; ) {
    const askedAt = performance.now();
    const head = await headOf(waiting);
    if (!head.success) return head;
    if (!isSame(head.data)) return createFailure(incarnationConflict());
    const lease = leaseOfAnother(head.data, journal.executionId);
    if (lease === undefined) return createSuccess(undefined);
    if (msLeft() <= 0) return createFailure(leaseConflict());
    waiting.isContended = true;
    // The interval grows while the same run holds the lease.
    pollMs = seen === lease.id ? Math.min(pollMs * 2, LONGEST_POLL_MS) : FIRST_POLL_MS;
    seen = lease.id;
    const leastMs = Math.min((performance.now() - askedAt) * BACKOFF_FACTOR, LONGEST_POLL_MS);
    await pause(Math.min(jittered(Math.max(pollMs, leastMs)), msLeft()), signal);
  }
}

/** By conversation: a promise that resolves when the last waiting run of this process has left. */
const processQueues = new WeakMap<MemoryProvider, Map<string, Promise<void>>>();

/**
 * Joins the queue of this process (first come, first served). Only the first run calls the store. `ready` resolves when all
 * runs ahead have left; absent if the run is first.
 */
function joinProcessQueue(provider: MemoryProvider, conversationId: string) {
  const queue = processQueues.get(provider) ?? new Map<string, Promise<void>>();
  processQueues.set(provider, queue);
  const ready = queue.get(conversationId);
  let leave!: () => void;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const last = ready === undefined ? left : ready.then(() => left);
  queue.set(conversationId, last);
  void last.then(() => {
    if (queue.get(conversationId) === last) queue.delete(conversationId);
  });
  return { ready, leave };
}

interface LastLease {
  readonly endedAt: number;
  readonly pauseUntil: number;
  /** How many leases in a row the process took without seeing another process's lease. */
  readonly inARow: number;
}

/** After this many leases in a row, a process lets others go first, because it can't know whether they wait. */
const LEASES_IN_A_ROW = 4;
/** Leases with a shorter pause than this count as in a row. */
const QUICKLY_MS = 1_000;

const lastLeases = new WeakMap<MemoryProvider, Map<string, LastLease>>();

/**
 * The last leases of this process. Waiting processes ask the store at growing intervals, so a run that starts right after the end
 * of a lease would always get the next one.
 */
function leasesOf(provider: MemoryProvider) {
  const leases = lastLeases.get(provider) ?? new Map<string, LastLease>();
  lastLeases.set(provider, leases);
  return {
    pauseMs: (conversationId: string) => (leases.get(conversationId)?.pauseUntil ?? 0) - performance.now(),
    ended: (
      conversationId: string,
      { acquiredAt, isContended }: { readonly acquiredAt: number; readonly isContended: boolean },
    ): void => {
      const endedAt = performance.now();
      // Oldest first.
      for (const [id, lease] of leases) {
        if (acquiredAt - lease.endedAt < QUICKLY_MS) break;
        leases.delete(id);
      }
      const inARow = isContended ? 0 : (leases.get(conversationId)?.inARow ?? 0) + 1;
      const pauses = inARow % LEASES_IN_A_ROW === 0;
      const pauseUntil = pauses ? endedAt + Math.min(endedAt - acquiredAt, LONGEST_POLL_MS) : 0;
      leases.delete(conversationId);
      leases.set(conversationId, { endedAt, pauseUntil, inARow });
    },
  };
}

/**
 * Returns a function that checks whether a head belongs to the conversation seen before, if the store reports incarnations: the
 * same one, still none, or a new one after none. If not, the conversation was erased meanwhile, and the input of a waiting run
 * must not get into the conversation that begins after the erasure.
 */
function openIdentity(): (head: Head) => boolean {
  let seen: { readonly exists: boolean; readonly incarnation: string | undefined } | undefined;
  return ({ conversation, incarnation }) => {
    const before = seen;
    seen = { exists: conversation !== null, incarnation };
    if (before?.incarnation === undefined || incarnation === undefined) return true;
    return before.incarnation === incarnation || (!before.exists && seen.exists);
  };
}
