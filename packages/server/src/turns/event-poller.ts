import type { MemoryErrorUnion, TurnLog } from "@jaf/memory";
import type { EventPage, EventQuery } from "@jaf/memory/adapter";
import { createMemoryStorageError, onAbort, withDeadline } from "@jaf/memory/internal";
import { TurnStoreError } from "./turn-errors.ts";

const MAX_QUERIES = 64;
/** Maximum number of events of one turn that one read returns. */
const MAX_EVENTS = 256;
/** Maximum number of reads at the same time that serve one reader each. */
const MAX_ALONE = 16;
/** Minimum interval between two repeated reads for the same reader, in ms. */
const ALONE_EVERY_MS = 250;
const DEFAULT_ANSWER_MS = 5_000;

export interface EventPollerOptions {
  readonly log: Pick<TurnLog, "readAll">;
  /** Interval between reads of the log, in ms. */
  readonly pollMs: number;
  /** How long reads of the log may fail before a reader gets an error, in ms. */
  readonly giveUpMs: number;
  /** Time limit for one read of the log, in ms. Default 5,000. */
  readonly answerMs?: number;
}

/** Reads the events of turns from the log, with shared queries for all readers of a process. */
export interface EventPoller {
  /**
   * Waits until the turn has events from number `query.from` on, or has ended. Resolves with one of these values:
   *
   * - A page with the events. The page is empty if the turn has ended without these events.
   * - `null`: the turn doesn't exist or has expired.
   * - `undefined`: `signal` was aborted, or the poller was closed.
   *
   * Rejects with a `TurnStoreError` if reads of the log fail for longer than `giveUpMs`, or fail permanently.
   */
  readonly next: (query: EventQuery, signal: AbortSignal) => Promise<EventPage | null | undefined>;
  readonly close: () => void;
}

interface Reader {
  readonly query: EventQuery;
  readonly settle: (page: EventPage | null | undefined) => void;
  readonly fail: (error: TurnStoreError) => void;
  failingSince: number | undefined;
  isAsked: boolean;
  askedAt: number;
}

export function createEventPoller(options: EventPollerOptions): EventPoller {
  const { log, pollMs, giveUpMs, answerMs = DEFAULT_ANSWER_MS } = options;
  const readers = new Set<Reader>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPolling = false;
  let hasNew = false;
  let alone = 0;
  let isClosed = false;

  function schedule(): void {
    if (isPolling || readers.size === 0 || isClosed) return;
    if (timer !== undefined && !hasNew) return;
    clearTimeout(timer);
    timer = setTimeout(() => void poll(), hasNew ? 0 : pollMs);
    hasNew = false;
  }

  async function poll(): Promise<void> {
    timer = undefined;
    isPolling = true;
    const asking = [...readers].filter(({ failingSince }) => failingSince === undefined);
    for (let start = 0; start < asking.length; start += MAX_QUERIES) {
      await ask(asking.slice(start, start + MAX_QUERIES));
    }
    // Not awaited: a read that fails or hangs must not delay the others.
    for (const reader of failingReaders()) void askAlone(reader);
    isPolling = false;
    schedule();
  }

  /** Returns the readers whose failed read must be repeated now, longest waiting first. */
  function failingReaders(): readonly Reader[] {
    const before = performance.now() - ALONE_EVERY_MS;
    return [...readers]
      .filter(
        ({ failingSince, isAsked, askedAt }) => failingSince !== undefined && !isAsked && askedAt < before,
      )
      .sort((one, other) => one.askedAt - other.askedAt)
      .slice(0, MAX_ALONE - alone);
  }

  async function askAlone(reader: Reader): Promise<void> {
    alone += 1;
    reader.isAsked = true;
    reader.askedAt = performance.now();
    await ask([reader]);
    reader.isAsked = false;
    alone -= 1;
    schedule();
  }

  async function ask(group: readonly Reader[]): Promise<void> {
    const queries = group.map(({ query }) => ({ ...query, limit: MAX_EVENTS }));
    const read = await withDeadline(log.readAll(queries), { timeoutMs: answerMs }).catch(() => undefined);
    if (read === undefined || !read.success) {
      const reason = "the turn log threw or didn't answer in time";
      const error = read?.error ?? createMemoryStorageError("readAll", reason, { retryable: true });
      for (const reader of group) failed(reader, error, group.length === 1);
      return;
    }
    for (const [index, reader] of group.entries()) {
      reader.failingSince = undefined;
      const page = read.data[index] ?? null;
      if (page === null || page.events.length > 0 || page.turn.state !== "running") reader.settle(page);
    }
  }

  /** Marks a reader's read as failed. Rejects the reader's promise if the log has failed for too long. */
  function failed(reader: Reader, error: MemoryErrorUnion, isAlone: boolean): void {
    reader.failingSince ??= performance.now();
    // A failed read for a group doesn't show whose query failed.
    if (!isAlone) return;
    if (error.retryable && performance.now() - reader.failingSince < giveUpMs) return;
    reader.fail(new TurnStoreError(error));
  }

  return {
    next: (query, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted || isClosed) {
          resolve(undefined);
          return;
        }
        const unsubscribe = onAbort(signal, () => reader.settle(undefined));
        const leave = () => {
          readers.delete(reader);
          unsubscribe();
        };
        const reader: Reader = {
          query,
          settle: (page) => {
            leave();
            resolve(page);
          },
          fail: (error) => {
            leave();
            reject(error);
          },
          failingSince: undefined,
          isAsked: false,
          askedAt: Number.NEGATIVE_INFINITY,
        };
        readers.add(reader);
        hasNew = true;
        schedule();
      }),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      for (const reader of [...readers]) reader.settle(undefined);
    },
  };
}
