import type { Result } from "../contract/errors.ts";

/** Points to a turn in a turn log. A queue holds nothing else of a turn, so it can lose or repeat a pointer safely. */
export interface TurnPointer {
  readonly conversationId: string;
  readonly turnId: string;
}

/** When and in which order a pointer is delivered. */
export interface SubmitOptions {
  /** The pointer isn't delivered before this time, by the clock of the queue. From 1970 on. Default: at once. */
  readonly at?: Date;
  /**
   * A whole number from -1,000 to 1,000. Of the pointers that could be delivered, those with the highest priority are
   * delivered first, and among equal ones without `at` the one that was submitted first. Default 0.
   */
  readonly priority?: number;
  /**
   * Whose turn it is, e.g. the id of its user: 1 to 255 UTF-16 units. A queue that can share its workers fairly between groups uses it; others
   * ignore it. Default: no group.
   */
  readonly group?: string;
}

/** How a process works on the pointers of a queue. */
export interface TurnWorkerOptions {
  /**
   * Called with each pointer that is delivered. If it resolves, the queue forgets the pointer. If it rejects, the queue
   * delivers the pointer again later, and stores nothing of what it rejected with. `signal` is aborted if the queue gives
   * the pointer to another worker meanwhile, as far as the queue can know, and for no other reason.
   */
  readonly handle: (pointer: TurnPointer, signal: AbortSignal) => Promise<void>;
  /**
   * The maximum number of pointers that this worker handles at the same time: a whole number from 1. The worker takes the
   * next pointer as soon as it has handled one, however long the others take.
   */
  readonly concurrency: number;
  /**
   * Receives failures of the queue, e.g. a lost connection, after which the worker tries again by itself. A `handle` that
   * rejects is none.
   */
  readonly onError: (error: unknown) => void;
}

/** A process's work on the pointers of a queue. */
export interface TurnWorker {
  /** Takes no more pointers. Resolves once no call of `handle` is running. Never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * A queue that hands turns to worker processes: an existing queue (e.g. BullMQ or pg-boss) behind a small port.
 *
 * - A pointer that waits in the queue is not queued a second time. `submit` succeeds then, too, and changes nothing. A
 *   pointer also waits before its time (`at`), and before it is delivered again. While `handle` runs with a pointer, a
 *   queue may ignore the pointer's `submit`.
 * - Each pointer is delivered at least once, and exactly once to a single worker if nothing fails. It is delivered again
 *   if `handle` rejects (not at once, but within a minute), or if its worker's process dies. A queue may give up after at
 *   least five deliveries.
 * - The queue may, as an exception, deliver the same pointer to two workers. The lease in the turn log decides which of
 *   them continues the turn.
 * - Failures are tagged errors in the result. An id that a `MemoryProvider` would refuse, a number out of range, or an
 *   invalid date or one before 1970, is a `MemoryValidationError`. A failure of the queue is a `MemoryConnectionError` or a `MemoryStorageError`.
 *
 * The kit `describeTurnQueueConformance` of `@jaf/memory/testing` tests the rules of this interface. It kills no process
 * and stops no server: test yourself that the pointer of a killed worker is delivered again.
 */
export interface TurnQueue {
  /** Puts a pointer into the queue, unless it waits there already. */
  readonly submit: (pointer: TurnPointer, options?: SubmitOptions) => Promise<Result<void>>;
  /** Removes a pointer that waits. Returns whether one was removed. A pointer that is being handled isn't removed. */
  readonly cancel: (pointer: TurnPointer) => Promise<Result<boolean>>;
  /** Begins to work on the pointers of the queue. Throws a `TypeError` that names an invalid option. */
  readonly work: (options: TurnWorkerOptions) => TurnWorker;
  /**
   * Closes the queue's workers, and the clients that the queue opened itself, but no client that the application passed
   * to the queue.
   */
  readonly close: () => Promise<Result<void>>;
}
