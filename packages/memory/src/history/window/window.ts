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
 * Why messages were left out: they are older than the window (`"older"`); they are in the middle of a turn that is longer
 * than the limit by itself (`"long-turn"`); a result at the start has no call (`"orphan-result"`); or system content and
 * the last user message leave no room (`"no-room"`).
 */
export type OmissionReason = "older" | "long-turn" | "orphan-result" | "no-room";

/** A run of messages that were left out: from index `start` to `end`, exclusive. */
export interface Omission {
  readonly start: number;
  readonly end: number;
  readonly reason: OmissionReason;
}

export interface WindowPlan<M> {
  /** What the model sees; the same array if nothing was left out. */
  readonly messages: readonly M[];
  /** The messages that it doesn't see, in order. */
  readonly omitted: readonly Omission[];
  /**
   * Whether the newest message, apart from system content, was left out: it doesn't fit together with its call
   * and results and the user message. The model would answer something else than the newest message, so don't call it.
   */
  readonly newestOmitted: boolean;
}

type AnyMessage = Message | RichMessage;

/**
 * The last `maxMessages` messages or fewer. Pure; the same array if nothing is left out.
 *
 * - A tool call and the results right behind it are kept or left out together.
 * - It starts on a user message, after all system content, which counts towards the limit. A history that is short enough
 *   stays as it is, except that tool results at its head, whose call isn't there, are left out.
 * - In a turn longer than the limit the user message is kept, and of what follows the newest groups that fit.
 * - A replayable history stays replayable. A broken one needs `sanitizeConversation` first.
 *
 * Throws a `TypeError` that names the field if an option is invalid.
 */
export const messageWindow = <M extends AnyMessage>(
  messages: readonly M[],
  options: MessageWindowOptions,
): readonly M[] => computeWindow(messages, messageLimits(options)).messages;

/** As {@link messageWindow}, with at most `maxTokens` tokens. No message is cut: one that doesn't fit is left out. */
export const tokenWindow = <M extends AnyMessage>(
  messages: readonly M[],
  options: TokenWindowOptions,
): readonly M[] => computeWindow(messages, tokenLimits(options)).messages;

/** A window, with the messages that were left out and why. */
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

/** Not even the user message fits beside all system content: that message, then system content from the oldest on. */
function withoutRoom({ kinds, costs, lastUserAt, size }: WindowIndex, limit: number): ReasonAt {
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
