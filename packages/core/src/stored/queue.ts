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
/** The minimum time between two polls, as a multiple of the time that the store took to answer. */
const BACKOFF_FACTOR = 4;
/** How often a run that doesn't wait loads a conversation that changes before the run's first write. */
const MOST_LOADS = 3;

/** Waits until a stored conversation's lease is free, then loads the conversation. */
export interface LeaseQueue {
  /**
   * Loads the conversation when no other run holds its lease. Rejects if the run is aborted. Returns a conflict in
   * three cases:
   *
   * - Another run holds the lease, and `memory.concurrency` isn't `"queue"`.
   * - The run has waited longer than `memory.queueTimeoutMs`.
   * - The conversation was erased while the run waited.
   *
   * `tail`: how to load only the end; `undefined`: all messages are loaded. `isReread`: whether the run loads the
   * conversation a second time and has kept its place in the queue.
   */
  readonly load: (tail: Tail | undefined, isReread: boolean) => Promise<Result<Loaded>>;
  /** Returns whether the run may call `load` again, because the conversation has changed before the run's first write. */
  readonly mayLoadAgain: () => boolean;
  /** Gives up the run's place in the queue, so the next waiting run of this process can continue. */
  readonly leave: () => void;
}

export const openLeaseQueue = (journal: Journal, signal: AbortSignal | undefined): LeaseQueue =>
  journal.memory.concurrency === "queue" ? openQueue(journal, signal) : openWithoutWaiting(journal, signal);

function openWithoutWaiting(journal: Journal, signal: AbortSignal | undefined): LeaseQueue {
  const isSame = openIdentity();
  let loads = 0;
  return {
    load: async (tail, isReread) => {
      if (!isReread) loads += 1;
      const loaded = await loadFree(journal, { tail, signal });
      if (loaded === undefined) return createFailure(leaseConflict());
      return loaded.success && !isSame(loaded.data) ? createFailure(incarnationConflict()) : loaded;
    },
    // The late result of a tool whose run was stopped changes the conversation without a lease.
    mayLoadAgain: () => loads < MOST_LOADS && signal?.aborted !== true,
    leave: () => {},
  };
}

/** Loads the conversation; `undefined` if another run holds its lease. */
async function loadFree(
  { memory, conversationId, executionId, runKey, owner }: Journal,
  { tail, signal }: { readonly tail: Tail | undefined; readonly signal: AbortSignal | undefined },
): Promise<Result<Loaded> | undefined> {
  const reading = loadConversation(memory, conversationId, { signal, tail, owner, receiptFor: runKey });
  const loaded = await abortable(reading, signal);
  if (!loaded.success || leaseOfAnother(loaded.data, executionId) === undefined) return loaded;
  // A run whose reply is already stored needs no lease.
  return storedOutcomeOf(loaded.data)?.kind === "replied" ? loaded : undefined;
}

const jittered = (milliseconds: number): number => milliseconds * (0.5 + Math.random());

/** Resolves after the delay. If the run is aborted, rejects with the reason of the abort. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, signal);
  if (signal?.aborted === true) throw signal.reason;
}

/** What a run that waits for the lease needs while it waits. */
interface Waiting {
  readonly journal: Journal;
  readonly signal: AbortSignal | undefined;
  /** Returns how many milliseconds the run still waits before it gives up. */
  readonly msLeft: () => number;
  /**
   * Returns whether the conversation of this head is the one of the previous call, and not a later one with the same
   * id.
   */
  readonly isSame: (head: Head) => boolean;
  /** Whether the run has seen that another process holds the lease. */
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

  /** Returns how long this run must wait before it tries to take the lease, in milliseconds. */
  function pauseMs(): number {
    // The wait lets other processes take the lease first.
    if (acquiredAt === undefined) return leases.pauseMs(conversationId);
    // The lease was free before, but another run was faster.
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
      // Reading the record without messages costs less than loading the conversation in vain.
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
    mayLoadAgain: () => msLeft() > 0 && signal?.aborted !== true,
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
 * Waits until the run is the first in this process's queue, or until `memory.queueTimeoutMs` has passed. Resolves with
 * the conversation's head from before the wait.
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

/**
 * Resolves when no other run holds the lease. Resolves with a conflict if `memory.queueTimeoutMs` has passed or the
 * conversation was erased.
 */
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
    // The time between polls grows while the same run holds the lease.
    pollMs = seen === lease.id ? Math.min(pollMs * 2, LONGEST_POLL_MS) : FIRST_POLL_MS;
    seen = lease.id;
    const leastMs = Math.min((performance.now() - askedAt) * BACKOFF_FACTOR, LONGEST_POLL_MS);
    await pause(Math.min(jittered(Math.max(pollMs, leastMs)), msLeft()), signal);
  }
}

/**
 * The queues of this process, by memory provider and conversation id: promises that resolve when the queue is empty.
 */
const processQueues = new WeakMap<MemoryProvider, Map<string, Promise<void>>>();

/**
 * Joins the queue of this process for a conversation. `ready` resolves when all runs ahead have left the queue;
 * `undefined`: this run is the first.
 */
function joinProcessQueue(provider: MemoryProvider, conversationId: string) {
  // Only the first run in the queue calls the store repeatedly.
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
  /** How many leases in a row the process has taken without seeing a lease of another process. */
  readonly inARow: number;
}

/** After this many leases in a row, a process pauses, so other processes can take the lease first. */
// Even if no other process waits, because it can't find out whether one does.
const LEASES_IN_A_ROW = 4;
/**
 * The maximum time between two leases in a row of this process, in milliseconds: from the end of the first to the start
 * of the second.
 */
const QUICKLY_MS = 1_000;

const lastLeases = new WeakMap<MemoryProvider, Map<string, LastLease>>();

/**
 * Returns two functions:
 *
 * - `pauseMs` returns how long the next run of this process must wait before it takes the lease, in milliseconds (0 or
 *   less: not at all).
 * - `ended` must be called when a run of this process no longer has the lease.
 */
function leasesOf(provider: MemoryProvider) {
  // Other processes poll the store at growing intervals. Without a pause, a run of this process that starts directly
  // after the end of a lease would always take the lease before their next poll.
  const leases = lastLeases.get(provider) ?? new Map<string, LastLease>();
  lastLeases.set(provider, leases);
  return {
    pauseMs: (conversationId: string) => (leases.get(conversationId)?.pauseUntil ?? 0) - performance.now(),
    ended: (
      conversationId: string,
      { acquiredAt, isContended }: { readonly acquiredAt: number; readonly isContended: boolean },
    ): void => {
      const endedAt = performance.now();
      // The map's oldest leases come first.
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
 * Returns a function that compares the incarnation of a head with that of the previous call's head. It returns `false`
 * if the conversation of the previous call was erased.
 */
function openIdentity(): (head: Head) => boolean {
  // The input of a waiting run must not get into a new conversation with the same id.
  let seen: { readonly exists: boolean; readonly incarnation: string | undefined } | undefined;
  return ({ conversation, incarnation }) => {
    const before = seen;
    seen = { exists: conversation !== null, incarnation };
    if (before?.incarnation === undefined || incarnation === undefined) return true;
    return before.incarnation === incarnation || (!before.exists && seen.exists);
  };
}
