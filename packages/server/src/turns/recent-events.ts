import { onAbort } from "@jaf/memory/internal";
import type { EncodedEvent } from "./turn-event.ts";
import type { NumberedEvent } from "./turn-service.ts";

const MAX_EVENTS = 64;
const MAX_CHARACTERS = 524_288;

/** The latest stored events of a turn that runs in this process. Readers get older events from the log. */
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
  /** From now on, calls `wake` each time events are added, and when the list is closed. Does nothing for a known `wake`. */
  readonly watch: (wake: () => void) => void;
  /** Ends the calls of `wake`. */
  readonly unwatch: (wake: () => void) => void;
  /** Resolves when the list is closed or the signal is aborted. */
  readonly closed: (signal: AbortSignal) => Promise<void>;
}

/** `onReader` is called when a reader watches the list. */
export function createRecentEvents(begin: number, onReader: () => void = () => {}): RecentEvents {
  let recent: (NumberedEvent & EncodedEvent)[] = [];
  let characters = 0;
  let end = begin;
  let isClosed = false;
  /** One function for each reader, which stays: a promise and an abort listener for each wait would cost more than the events. */
  const readers = new Set<() => void>();
  const endReaders = new Set<() => void>();
  const wakeAll = (waiting: ReadonlySet<() => void>) => {
    for (const wake of [...waiting]) wake();
  };

  /** Drops the older half of the list if the list is too long. Dropping events one by one would take quadratic time. */
  function trim(): void {
    if (recent.length <= MAX_EVENTS && characters <= MAX_CHARACTERS) return;
    const isTooMuch = () => recent.length > MAX_EVENTS / 2 || characters > MAX_CHARACTERS / 2;
    let dropped = 0;
    while (dropped < recent.length && isTooMuch()) {
      characters -= recent[dropped]?.text.length ?? 0;
      dropped += 1;
      if (recent.length - dropped <= MAX_EVENTS / 2 && characters <= MAX_CHARACTERS / 2) break;
    }
    recent = recent.slice(dropped);
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
      wakeAll(readers);
    },
    close: () => {
      isClosed = true;
      wakeAll(readers);
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
    watch: (wake) => {
      readers.add(wake);
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
