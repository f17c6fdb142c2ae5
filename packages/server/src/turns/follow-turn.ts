import { idIssue, onAbort } from "@jaf/memory/internal";
import { decodeEvent } from "./encoded-event.ts";
import type { EventPoller } from "./event-poller.ts";
import type { RecentEvents } from "./recent-events.ts";
import type { FollowQuery, NumberedEvent, TurnIds } from "./turn-service.ts";

export interface FollowScope {
  readonly poller: EventPoller;
  /** Returns the latest events of a turn that runs in this process, or `undefined` for any other turn. */
  readonly recentEventsOf: (turn: TurnIds) => RecentEvents | undefined;
}

/**
 * Yields the events of a turn once they are stored. If the turn runs in this process, they come from memory, and otherwise from the
 * log. For the end of the events, see `TurnService.follow`.
 */
export async function* followTurn(
  { poller, recentEventsOf }: FollowScope,
  { conversationId, turnId, from, afterEnd = false, signal }: FollowQuery,
): AsyncGenerator<readonly NumberedEvent[], void, undefined> {
  const isNone = idIssue("conversationId", conversationId) ?? idIssue("turnId", turnId);
  if (isNone !== undefined || !Number.isSafeInteger(from) || from < 0) return;
  const turn = { conversationId, turnId };
  let next = from;
  // Kept after the end of the turn, so its last events aren't read from the log.
  let recent: RecentEvents | undefined;
  let wakeUp = (): void => {};
  const wake = (): void => wakeUp();
  const fromMemory = (): readonly NumberedEvent[] | "elsewhere" => {
    const known = recent?.from(next) ?? "elsewhere";
    if (known !== "elsewhere") return known;
    recent = recentEventsOf(turn) ?? recent;
    return recent?.from(next) ?? "elsewhere";
  };
  // One listener on the signal for all waits.
  const stopListening = onAbort(signal, wake);
  try {
    for (;;) {
      if (afterEnd) {
        recent = recentEventsOf(turn) ?? recent;
        await recent?.closed(signal);
      }
      if (signal.aborted) return;
      const here = fromMemory();
      let events: readonly NumberedEvent[];
      if (here !== "elsewhere") {
        if (here.length === 0) {
          // Nothing was awaited since the list was read, so no event is missed.
          const changed = new Promise<void>((resolve) => {
            wakeUp = resolve;
          });
          recent?.watch(next, wake);
          await changed;
          continue;
        }
        events = here;
      } else {
        const page = await poller.next({ ...turn, from: next }, signal);
        if (page === null || page === undefined || page.events.length === 0) return;
        const first = next;
        events = page.events.map((text, index) => ({
          number: first + index,
          event: decodeEvent(text),
          text,
        }));
      }
      yield events;
      next += events.length;
      if (events.at(-1)?.event.type === "turn_end") return;
    }
  } finally {
    stopListening();
    recent?.unwatch(wake);
  }
}
