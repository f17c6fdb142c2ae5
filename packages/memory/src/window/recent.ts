import { isReplayable } from "../history/sanitizer.ts";
import type { Message } from "../message.ts";
import type { WindowLimits } from "./options.ts";

/**
 * The end of a conversation that gives the same sliding window as all of it, from a user message on; `undefined` if
 * what was read is too short to tell.
 *
 * A sliding window depends on nothing before the last user message behind which the limit is reached. Nor does the
 * sanitizer where everything from there on is replayable: whatever stands before is matched among itself.
 */
export function decisiveEnd(
  messages: readonly Message[],
  limits: WindowLimits,
): readonly Message[] | undefined {
  let cost = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    cost += limits.costOf(message);
    if (message.role !== "user" || cost < limits.limit) continue;
    const end = messages.slice(index);
    return isReplayable(end) ? end : undefined;
  }
  return undefined;
}
