import type { EventPage, EventQuery, MemoryErrorUnion, TurnLog } from "@jaf/memory";
import { createMemoryStorageError, onAbort } from "@jaf/memory/engine";
import { TurnStoreError } from "./turn-store-error.ts";

const MAX_QUERIES = 64;
/** Of one turn in one answer: a slow reader gets the rest with its next question. */
const MAX_EVENTS = 256;

export interface EventPollerOptions {
  readonly log: Pick<TurnLog, "readAll">;
  /** Between two questions to the log while somebody waits. */
  readonly pollMs: number;
  /** How long the log may fail before the readers are told. */
  readonly giveUpMs: number;
}

/** Reads events of turns for all readers of a process, together. */
export interface EventPoller {
  /**
   * Waits for events from `query.from` on, or for the end of the turn without any. `null`: there is no such turn any more.
   * `undefined`: the signal is aborted, or the poller closed. Rejects with `TurnStoreError` if the log fails for too long.
   */
  readonly next: (query: EventQuery, signal: AbortSignal) => Promise<EventPage | null | undefined>;
  readonly close: () => void;
}

interface Reader {
  readonly query: EventQuery;
  readonly settle: (page: EventPage | null | undefined) => void;
  readonly fail: (error: TurnStoreError) => void;
  failingSince: number | undefined;
}

export function createEventPoller({ log, pollMs, giveUpMs }: EventPollerOptions): EventPoller {
  const readers = new Set<Reader>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPolling = false;
  let hasNew = false;
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
    const asking = [...readers];
    for (let start = 0; start < asking.length; start += MAX_QUERIES) {
      await ask(asking.slice(start, start + MAX_QUERIES));
    }
    isPolling = false;
    schedule();
  }

  async function ask(group: readonly Reader[]): Promise<void> {
    const queries = group.map(({ query }) => ({ ...query, limit: MAX_EVENTS }));
    const read = await log.readAll(queries).catch(() => undefined);
    if (read === undefined || !read.success) {
      const error =
        read?.error ?? createMemoryStorageError("readAll", "the turn log threw", { retryable: true });
      for (const reader of group) failed(reader, error);
      return;
    }
    for (const [index, reader] of group.entries()) {
      reader.failingSince = undefined;
      const page = read.data[index] ?? null;
      if (page === null || page.events.length > 0 || page.turn.state !== "running") reader.settle(page);
    }
  }

  function failed(reader: Reader, error: MemoryErrorUnion): void {
    reader.failingSince ??= performance.now();
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
