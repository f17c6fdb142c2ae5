import { onAbort } from "@jaf/memory/internal";
import type { EncodedEvent } from "./turn-event.ts";
import type { NumberedEvent } from "./turn-service.ts";

const MAX_EVENTS = 64;
const MAX_CHARACTERS = 524_288;

/** The latest stored events of a turn that runs in this process. Readers get older events from the log. */
export interface RecentEvents {
  readonly add: (first: number, events: readonly EncodedEvent[]) => void;
  /** Ends the list: no more events will be added. */
  readonly close: () => void;
  /**
   * Returns the events from the number `number` on. `[]`: these events aren't stored yet. `"elsewhere"`: the caller must read
   * these events from the log, because this list no longer keeps them or won't get them.
   */
  readonly from: (number: number) => readonly NumberedEvent[] | "elsewhere";
  /** Resolves when events are added, the list is closed, or the signal is aborted. */
  readonly changed: (signal: AbortSignal) => Promise<void>;
}

export function createRecentEvents(begin: number): RecentEvents {
  let recent: (NumberedEvent & EncodedEvent)[] = [];
  let characters = 0;
  let end = begin;
  let isClosed = false;
  const waiting = new Set<() => void>();
  const notify = () => {
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
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
      for (const [index, { event, text }] of events.entries()) {
        recent.push({ number: first + index, event, text });
        characters += text.length;
      }
      end = first + events.length;
      trim();
      notify();
    },
    close: () => {
      isClosed = true;
      notify();
    },
    from: (number) => {
      const [oldest] = recent;
      const firstRecent = oldest?.number ?? end;
      if (number < firstRecent) return "elsewhere";
      if (number >= end) return isClosed ? "elsewhere" : [];
      return recent.slice(number - firstRecent);
    },
    changed: (signal) =>
      new Promise((resolve) => {
        const unsubscribe = onAbort(signal, () => done());
        function done(): void {
          waiting.delete(done);
          unsubscribe?.();
          resolve();
        }
        if (signal.aborted || isClosed) done();
        else waiting.add(done);
      }),
  };
}
