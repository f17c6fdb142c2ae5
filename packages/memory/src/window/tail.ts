import { pendingToolCalls } from "../history/pending.ts";
import { isReplayable } from "../history/sanitizer.ts";
import type { Message } from "../message.ts";
import { limitsOf, type WindowLimits, type WindowOptions } from "./options.ts";

/** What a first read asks for in a window of tokens, of which nobody knows how many messages they are. */
const FIRST_READ = 100;
/** What it asks for at most. */
const LONGEST_FIRST_READ = 10_000;

/** How a window is told from the end of a conversation, whatever stands before it. */
export interface WindowTail {
  /** How many of the last messages to read: mostly that is enough. */
  readonly firstRead: number;
  /**
   * Of the last messages of a conversation those, from a user message on, that give the same window as all of it, also
   * when more is said; `undefined` if they are too few to tell. With the calls that the conversation ends with. Throws what
   * the tokenizer throws.
   *
   * System content counts in every window, wherever it stands: of a conversation that holds any, read all.
   */
  readonly decisive: (messages: readonly Message[]) => readonly Message[] | undefined;
}

/**
 * `undefined` for a window with `trimTo`, which depends on the whole history. Throws a `TypeError` that names the field if
 * an option is invalid.
 */
export function windowTailOf(options: WindowOptions): WindowTail | undefined {
  const limits = limitsOf(options);
  if (limits.low < limits.limit) return undefined;
  return {
    firstRead:
      "maxMessages" in options && options.maxMessages !== undefined
        ? Math.min(2 * limits.limit + 1, LONGEST_FIRST_READ)
        : FIRST_READ,
    decisive: (messages) => decisiveEnd(messages, limits),
  };
}

/**
 * A sliding window depends on nothing before the last user message behind which the limit is reached. Nor does the
 * sanitizer where everything from there on is replayable, but for open calls at the end: whatever stands before is matched
 * among itself. What is open doesn't count, since it may be left out.
 */
function decisiveEnd(
  messages: readonly Message[],
  { costOf, limit }: WindowLimits,
): readonly Message[] | undefined {
  const settled = settledEnd(messages);
  if (settled === undefined) return undefined;
  let cost = 0;
  for (let index = settled - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    cost += costOf(message);
    if (message.role !== "user" || cost < limit) continue;
    return isReplayable(messages.slice(index, settled)) ? messages.slice(index) : undefined;
  }
  return undefined;
}

/** Where the open calls begin; `undefined` where results of other calls stand among theirs. */
function settledEnd(messages: readonly Message[]): number | undefined {
  const pending = pendingToolCalls(messages);
  if (pending === undefined) return messages.length;
  const open = new Set(messages[pending.index]?.tool_calls?.map(({ id }) => id));
  const areTheirs = messages.slice(pending.index + 1).every(({ tool_call_id: id }) => open.delete(id ?? ""));
  return areTheirs ? pending.index : undefined;
}
