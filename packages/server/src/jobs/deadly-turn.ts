import type { RetractEvent, TurnEvent } from "../turns/turn-event.ts";

/**
 * How often a turn may be taken over from a process that has died, without a new message or tool result, before the turn
 * ends with the error `LOST`.
 */
const MAX_TAKE_OVERS_WITHOUT_PROGRESS = 3;

/** Returns whether a turn seems to end each process that runs it: it was taken over too often without progress. */
export const isDeadly = (events: readonly TurnEvent[]): boolean =>
  takeOversWithoutProgress(events) >= MAX_TAKE_OVERS_WITHOUT_PROGRESS;

/**
 * Counts the take-overs since the turn's last message or tool result. A take-over of a turn that its process has handed
 * over doesn't count, because the turn hasn't ended that process.
 */
function takeOversWithoutProgress(events: readonly TurnEvent[]): number {
  const last = events.findLastIndex((event) => {
    const { type } = event.type === "inner" ? event.event : event;
    return type === "message" || type === "tool_end";
  });
  const since = events.slice(last + 1);
  return since.filter(
    (event, at) => isRetract(event, "taken-over") && !isRetract(since[at - 1], "handed-over"),
  ).length;
}

const isRetract = (event: TurnEvent | undefined, reason: RetractEvent["reason"]): boolean =>
  event?.type === "retract" && event.reason === reason;
