import { onAbort } from "@jaf/memory/internal";
import type { EncodedEvent } from "./encoded-event.ts";
import type { NumberedEvent } from "./turn-service.ts";

const MAX_EVENTS = 64;
const MAX_CHARACTERS = 524_288;

/**
 * The latest stored events of a turn that runs in this process. Events that all waiting readers have taken aren't kept. Readers get
 * older events from the log.
 */
export interface RecentEvents {
  /** Adds events. Those with known numbers are skipped. */
  readonly add: (first: number, events: readonly EncodedEvent[]) => void;
  /** Ends the list: no more events will be added. */
  readonly close: () => void;
  /**
   * Returns the events from the number `number` on. `[]`: these events aren't stored yet. `"elsewhere"`: the caller must read
   * these events from the log, because this list no longer keeps them or won't get them.
   */
  readonly from: (number: number) => readonly NumberedEvent[] | "elsewhere";
  /**
   * From now on, calls `wake` each time events are added, and when the list is closed. `number`: the reader has taken all earlier
   * events. A reader that waits again calls this function again.
   */
  readonly watch: (number: number, wake: () => void) => void;
  /** Ends the calls of `wake`. */
  readonly unwatch: (wake: () => void) => void;
  /** Resolves when the list is closed or the signal is aborted. */
  readonly closed: (signal: AbortSignal) => Promise<void>;
}

/** `onReader` is called when a reader watches the list. */
export function createRecentEvents(begin: number, onReader: () => void = () => {}): RecentEvents {
  const recent: (NumberedEvent & EncodedEvent)[] = [];
  let characters = 0;
  let end = begin;
  let isClosed = false;
  /**
   * The number of the next event that each reader needs, by the function that wakes the reader. The function stays: a promise and an
   * abort listener for each wait would cost more than the events.
   */
  const readers = new Map<() => void, number>();
  const endReaders = new Set<() => void>();
  const wakeAll = (waiting: Iterable<() => void>) => {
    for (const wake of [...waiting]) wake();
  };

  function drop(count: number): void {
    for (const { text } of recent.splice(0, count)) characters -= text.length;
  }

  /** Drops the older half of the list if the list is too long. Dropping events one by one would take quadratic time. */
  function trim(): void {
    if (recent.length <= MAX_EVENTS && characters <= MAX_CHARACTERS) return;
    let count = 0;
    let left = characters;
    while (recent.length - count > MAX_EVENTS / 2 || left > MAX_CHARACTERS / 2) {
      left -= recent[count]?.text.length ?? 0;
      count += 1;
    }
    drop(count);
  }

  return {
    add: (first, events) => {
      if (isClosed) return;
      for (const { event, text } of events.slice(Math.max(0, end - first))) {
        recent.push({ number: end, event, text });
        characters += text.length;
        end += 1;
      }
      trim();
      wakeAll(readers.keys());
    },
    close: () => {
      isClosed = true;
      wakeAll(readers.keys());
      readers.clear();
      wakeAll(endReaders);
    },
    from: (number) => {
      const [oldest] = recent;
      const firstRecent = oldest?.number ?? end;
      if (number < firstRecent) return "elsewhere";
      if (number >= end) return isClosed ? "elsewhere" : [];
      return recent.slice(number - firstRecent);
    },
    watch: (number, wake) => {
      readers.set(wake, number);
      const [oldest] = recent;
      if (oldest !== undefined) drop(Math.max(0, Math.min(...readers.values()) - oldest.number));
      onReader();
    },
    unwatch: (wake) => void readers.delete(wake),
    closed: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted || isClosed) {
          resolve();
          return;
        }
        const stopListening = onAbort(signal, () => done());
        function done(): void {
          endReaders.delete(done);
          stopListening();
          resolve();
        }
        endReaders.add(done);
      }),
  };
}
