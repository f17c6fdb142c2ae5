import type { Message, RichMessage } from "../../contract/message.ts";
import {
  createWindowIndex,
  pinnedUserMessage,
  RESULT,
  SYSTEM,
  type WindowIndex,
  windowCost,
} from "./window-index.ts";
import {
  limitsOf,
  type MessageWindowOptions,
  messageLimits,
  type TokenWindowOptions,
  tokenLimits,
  type WindowLimits,
  type WindowOptions,
} from "./window-options.ts";
import { windowStart } from "./window-start.ts";

/**
 * Why a window leaves out messages:
 *
 * - `"older"`: the messages are older than the window.
 * - `"long-turn"`: the messages are in the middle of a turn that alone exceeds the limit.
 * - `"orphan-result"`: the messages are tool results at the start of the history, without their call.
 * - `"no-room"`: the system messages and the last user message leave no room for the messages.
 */
export type OmissionReason = "older" | "long-turn" | "orphan-result" | "no-room";

/** A range of messages that a window leaves out: from index `start` to before index `end`. */
export interface Omission {
  readonly start: number;
  readonly end: number;
  readonly reason: OmissionReason;
}

/** The result of `planWindow`. */
export interface WindowPlan<M> {
  /** The messages for the model. The same array as the input if the window leaves out no message. */
  readonly messages: readonly M[];
  /** The ranges of messages that the window leaves out, in order. */
  readonly omitted: readonly Omission[];
  /**
   * Whether the window leaves out the newest message that isn't a system message. This happens if the newest message,
   * its calls and results, and the turn's user message don't fit together. In this case, don't call the model, because
   * it would not answer the newest message.
   */
  readonly newestOmitted: boolean;
}

type AnyMessage = Message | RichMessage;

/**
 * Returns the window of a history: at most the last `maxMessages` messages. Returns the same array if the window leaves
 * out no message.
 *
 * - A tool call and the results directly after it are kept or left out together.
 * - All system messages are kept, and count towards the limit.
 * - The first message that isn't a system message is a user message.
 * - A history within the limit stays unchanged, except that tool results at its start without their call are left out.
 * - If a turn alone exceeds the limit, its user message is kept, with the newest groups of calls and results that fit.
 * - If model services accept the history, they accept its window. Call `sanitizeConversation` first for any other
 *   history.
 *
 * Throws a `TypeError` that names the field if an option is invalid.
 *
 * @example
 * ```ts
 * import { type Message, sanitizeConversation } from "@jaf/memory";
 * import { messageWindow } from "@jaf/memory/history";
 *
 * declare const history: readonly Message[];
 *
 * console.log(messageWindow(sanitizeConversation(history), { maxMessages: 20, trimTo: 10 }));
 * ```
 */
export const messageWindow = <M extends AnyMessage>(
  messages: readonly M[],
  options: MessageWindowOptions,
): readonly M[] => computeWindow(messages, messageLimits(options)).messages;

/**
 * Returns the window of a history: the newest messages with at most `maxTokens` tokens. All other rules are those of
 * {@link messageWindow}. A message is never cut: a message that doesn't fit is left out.
 *
 * @example
 * ```ts
 * import { type Message, sanitizeConversation } from "@jaf/memory";
 * import { tokenWindow } from "@jaf/memory/history";
 *
 * declare const history: readonly Message[];
 *
 * console.log(tokenWindow(sanitizeConversation(history), { maxTokens: 8_000 }));
 * ```
 */
export const tokenWindow = <M extends AnyMessage>(
  messages: readonly M[],
  options: TokenWindowOptions,
): readonly M[] => computeWindow(messages, tokenLimits(options)).messages;

/**
 * Returns the window of a history, together with the messages that the window leaves out and the reasons. Throws a
 * `TypeError` that names the field if an option is invalid.
 *
 * @example
 * ```ts
 * import type { Message } from "@jaf/memory";
 * import { planWindow } from "@jaf/memory/history";
 *
 * declare const history: readonly Message[];
 *
 * const plan = planWindow(history, { maxMessages: 20, trimTo: 10 });
 * if (plan.newestOmitted) throw new Error("The last message doesn't fit into the window.");
 * for (const { start, end, reason } of plan.omitted) console.log(start, end, reason);
 * ```
 */
export const planWindow = <M extends AnyMessage>(
  messages: readonly M[],
  options: WindowOptions,
): WindowPlan<M> => computeWindow(messages, limitsOf(options));

function computeWindow<M extends AnyMessage>(messages: readonly M[], limits: WindowLimits): WindowPlan<M> {
  const windowIndex = createWindowIndex(messages, limits.costOf);
  const start = windowStart(windowIndex, limits);
  const fits = windowCost(windowIndex, start, windowIndex.size) <= limits.limit;
  const omission = fits ? reasonsFrom(windowIndex, start) : withoutRoom(windowIndex, limits.limit);
  const omitted = omissions(windowIndex.size, omission);
  const newest = windowIndex.kinds.findLastIndex((kind) => kind !== SYSTEM);
  return {
    messages: omitted.length === 0 ? messages : messages.filter((_, index) => omission(index) === undefined),
    omitted,
    newestOmitted: newest !== -1 && omission(newest) !== undefined,
  };
}

type ReasonAt = (index: number) => OmissionReason | undefined;

function reasonsFrom(windowIndex: WindowIndex, start: number): ReasonAt {
  const pinned = pinnedUserMessage(windowIndex, start);
  const firstGroup = windowIndex.kinds.findIndex((kind) => kind < RESULT);
  return (index) => {
    if (index >= start || index === pinned || windowIndex.kinds[index] === SYSTEM) return undefined;
    if (firstGroup === -1 || index < firstGroup) return "orphan-result";
    if (pinned === -1 && start === windowIndex.size) return "no-room";
    return pinned !== -1 && index > pinned ? "long-turn" : "older";
  };
}

/**
 * Decides which messages are kept if the last user message and the system messages don't fit into the window together.
 */
function withoutRoom({ kinds, costs, lastUserAt, size }: WindowIndex, limit: number): ReasonAt {
  // First the user message is kept if it fits. Then system messages are kept as far as they fit, from the oldest on.
  const user = lastUserAt[size] ?? -1;
  const userCost = costs[user] ?? 0;
  const kept = new Set<number>();
  let room = limit;
  if (user !== -1 && userCost <= room) {
    kept.add(user);
    room -= userCost;
  }
  for (const [index, kind] of kinds.entries()) {
    const cost = costs[index] ?? 0;
    if (kind !== SYSTEM || cost > room) continue;
    kept.add(index);
    room -= cost;
  }
  return (index) => (kept.has(index) ? undefined : "no-room");
}

function omissions(size: number, reasonAt: ReasonAt): readonly Omission[] {
  const found: Omission[] = [];
  for (let start = 0; start < size; ) {
    const reason = reasonAt(start);
    let end = start + 1;
    while (end < size && reasonAt(end) === reason) end += 1;
    if (reason !== undefined) found.push({ start, end, reason });
    start = end;
  }
  return found;
}
