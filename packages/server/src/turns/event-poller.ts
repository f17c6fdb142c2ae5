import type { MemoryErrorUnion, TurnLog } from "@jaf/memory";
import type { EventPage, EventQuery } from "@jaf/memory/adapter";
import { createMemoryStorageError, onAbort, withDeadline } from "@jaf/memory/internal";
import { TurnStoreError } from "./turn-errors.ts";

const MAX_QUERIES = 64;
/** Events of one turn per read. Readers get the rest with the next read. */
const MAX_EVENTS = 256;
/** Limits for failing reads, which are repeated one reader at a time: concurrent reads, and the interval per reader. */
const MAX_ALONE = 16;
const ALONE_EVERY_MS = 250;
const DEFAULT_ANSWER_MS = 5_000;

export interface EventPollerOptions {
  readonly log: Pick<TurnLog, "readAll">;
  /** Interval between reads of the log while there are readers, in ms. */
  readonly pollMs: number;
  /** How long the log may fail before readers get an error, in ms. */
  readonly giveUpMs: number;
  /** Timeout of one read, in ms. Default 5,000. */
  readonly answerMs?: number;
}

/** Reads events of turns for all readers of a process in shared queries. */
export interface EventPoller {
  /**
   * Waits for events from `query.from` on, or for the turn's end without any. Resolves with `null` if the turn no longer exists, and
   * with `undefined` if the signal is aborted or the poller closed. Rejects with `TurnStoreError` if the log fails for too long.
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

  /** Returns the failing readers that are due, longest wait first. */
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

  /** A failed group read doesn't show which query failed, so only a single read counts. */
  function failed(reader: Reader, error: MemoryErrorUnion, isAlone: boolean): void {
    reader.failingSince ??= performance.now();
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
