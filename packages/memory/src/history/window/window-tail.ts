import type { Message } from "../../contract/message.ts";
import { isReplayable } from "../messages/sanitizer.ts";
import { pendingToolCalls } from "../messages/tool-calls.ts";
import { limitsOf, type WindowLimits, type WindowOptions } from "./window-options.ts";
import { REPLAYED_WINDOWS } from "./window-start.ts";

// It is unknown how many messages a window in tokens contains.
/** How many messages to read first for a window in tokens. */
const FIRST_READ = 100;
/** The maximum number of messages in the first read. */
const LONGEST_FIRST_READ = 10_000;
// `MORE` is large, because the turn in which the window begins may be very long.
/** If the messages that were read don't suffice, the next read asks for at least this many times as many. */
const MORE = 8;

/** Computes the window of a conversation from only its last messages. */
export interface WindowTail {
  /** How many of the conversation's last messages to read first. Usually these messages suffice. */
  readonly firstRead: number;
  /**
   * Checks whether `messages`, the last messages of a conversation, suffice to compute the conversation's window. If
   * they suffice (`decides: true`), returns those of the messages on which the window depends. Otherwise returns how
   * many messages to read next.
   *
   * `from` is the index of the first message that the caller needs itself, with all messages after it. Default: none. A
   * negative `from` stands for a message before `messages`, so `messages` don't suffice.
   *
   * If a conversation contains system messages, read all of it instead, because every window contains all of them.
   * Throws the errors of the tokenizer.
   */
  readonly endOf: (messages: readonly Message[], from?: number) => WindowEnd;
}

/** Whether the last messages of a conversation suffice to compute its window. */
export type WindowEnd =
  | {
      readonly decides: true;
      /**
       * The last part of the given messages. It begins with a user message and includes pending calls. It has the same
       * window as the whole conversation, even after the same messages are added to both.
       */
      readonly messages: readonly Message[];
    }
  | {
      readonly decides: false;
      /** How many of the conversation's last messages to read next. Absent if all messages must be read. */
      readonly readNext?: number;
    };

/**
 * Returns an object that computes a window from only the last messages of a conversation. Throws a `TypeError` that
 * names the field if an option is invalid.
 *
 * @example
 * ```ts
 * import type { MemoryProvider } from "@jaf/memory";
 * import { planWindow, windowTailOf } from "@jaf/memory/history";
 *
 * declare const provider: MemoryProvider;
 *
 * const options = { maxMessages: 20 };
 * const tail = windowTailOf(options);
 * const recent = await provider.getRecentMessages("conv-123", tail.firstRead);
 * if (!recent.success) throw new Error(recent.error.message);
 * const end = tail.endOf(recent.data);
 * const isWhole = recent.data.length < tail.firstRead;
 * if (end.decides) console.log(planWindow(end.messages, options).messages);
 * else if (isWhole) console.log(planWindow(recent.data, options).messages);
 * ```
 */
export function windowTailOf(options: WindowOptions): WindowTail {
  const limits = limitsOf(options);
  const least = leastCost(limits);
  const counted = "maxMessages" in options && options.maxMessages !== undefined;
  return {
    firstRead: counted ? Math.min(least + limits.limit + 1, LONGEST_FIRST_READ) : FIRST_READ,
    endOf: (messages, from = messages.length) => endOf(messages, { limits, least, from }),
  };
}

/** Returns the minimum cost of the messages on which a window depends. */
const leastCost = ({ limit, low }: WindowLimits): number => (low < limit ? REPLAYED_WINDOWS * limit : limit);

interface Needed {
  readonly limits: WindowLimits;
  readonly least: number;
  readonly from: number;
}

/** Finds the last user message from which on the messages suffice to compute the window. */
function endOf(messages: readonly Message[], { limits, least, from }: Needed): WindowEnd {
  // The messages suffice under two conditions:
  // - They cost enough. For a sliding window, this is at least the limit. For a window with `trimTo`, it is more than
  //   `REPLAYED_WINDOWS` times the limit, because `windowStart` begins after this cost.
  // - The sanitizer doesn't change them (`isReplayable`). Then no call or result before them belongs to one of them.
  // Pending calls at the end are neither counted nor checked, because the window may leave them out.
  const { costOf, limit, low } = limits;
  const settled = settledEnd(messages);
  if (settled === undefined) return { decides: false };
  const isEnough = (cost: number) => (low < limit ? cost > least : cost >= least);
  let cost = 0;
  for (let index = settled - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    cost += costOf(message);
    if (message.role !== "user" || index > from || !isEnough(cost)) continue;
    return isReplayable(messages.slice(index, settled))
      ? { decides: true, messages: messages.slice(index) }
      : { decides: false };
  }
  if (cost === 0) return { decides: false };
  const short = Math.max(least / cost, (messages.length - from) / messages.length);
  return { decides: false, readNext: Math.ceil(messages.length * Math.max(MORE, 2 * short)) };
}

/**
 * Returns the index of the message that made the pending calls; the number of messages if no call is pending. Returns
 * `undefined` if a result of another call follows the pending calls.
 */
function settledEnd(messages: readonly Message[]): number | undefined {
  const pending = pendingToolCalls(messages);
  if (pending === undefined) return messages.length;
  const open = new Set(messages[pending.index]?.tool_calls?.map(({ id }) => id));
  const areTheirs = messages.slice(pending.index + 1).every(({ tool_call_id: id }) => open.delete(id ?? ""));
  return areTheirs ? pending.index : undefined;
}
