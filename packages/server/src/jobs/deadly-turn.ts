import type { RetractEvent, TurnEvent } from "../turns/turn-event.ts";

/**
 * How often a turn may be taken over from a process that has died, without progress, before the turn ends with the error
 * `LOST`.
 */
const MAX_TAKE_OVERS_WITHOUT_PROGRESS = 3;

/**
 * Returns whether a turn seems to end each process that runs it, because it was taken over too often without progress: a
 * new message or tool result. `startsOver`: a take-over starts over, so replies and results that were told aren't progress.
 */
export const isDeadly = (
  events: readonly TurnEvent[],
  { startsOver }: { readonly startsOver: boolean },
): boolean => takeOversIn(startsOver ? events : sinceProgress(events)) >= MAX_TAKE_OVERS_WITHOUT_PROGRESS;

function sinceProgress(events: readonly TurnEvent[]): readonly TurnEvent[] {
  const last = events.findLastIndex((event) => {
    const { type } = event.type === "inner" ? event.event : event;
    return type === "message" || type === "tool_end";
  });
  return events.slice(last + 1);
}

/**
 * Counts the take-overs. A take-over of a turn that its process has handed over doesn't count, because the turn hasn't
 * ended that process.
 */
const takeOversIn = (events: readonly TurnEvent[]): number =>
  events.filter((event, at) => isRetract(event, "taken-over") && !isRetract(events[at - 1], "handed-over"))
    .length;

const isRetract = (event: TurnEvent | undefined, reason: RetractEvent["reason"]): boolean =>
  event?.type === "retract" && event.reason === reason;
