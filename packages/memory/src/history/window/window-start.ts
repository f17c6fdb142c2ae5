import { GROUP, RESULT, SYSTEM, USER, type WindowIndex, windowCost } from "./window-index.ts";
import type { WindowLimits } from "./window-options.ts";

/** The part of a history before the index `end`, with what is known about it. */
interface Growth {
  readonly end: number;
  /** The index of the last user message before `end`, or -1. */
  readonly lastUser: number;
  /** The index of the last message of kind `GROUP` before `end`, or -1. */
  readonly lastGroup: number;
}

/**
 * Returns the index at which the window of a history starts. Adds the messages one by one from the front. Whenever the
 * window exceeds the limit, cuts it down to `low`. So the result only depends on the history, and the windows of a
 * growing history begin with the same messages until the next cut. Takes linear time, because the start never moves
 * back.
 *
 * A window starts with a user message. If a turn alone is longer than the limit, the window starts later in this turn,
 * with a group of calls and results. In this case, the window also keeps the user message of the turn (see
 * `pinnedUserMessage`).
 */
export function windowStart(windowIndex: WindowIndex, limits: WindowLimits): number {
  const { kinds, lastUserAt, size } = windowIndex;
  const first = kinds.findIndex((kind) => kind === USER || kind === GROUP);
  const front = replayFrom(windowIndex, limits);
  let start = front;
  let lastUser = lastUserAt[front - 1] ?? -1;
  let lastGroup = -1;
  for (let at = front; at < size; at++) {
    const kind = kinds[at];
    if (start === at && (kind === RESULT || kind === SYSTEM)) {
      start = at + 1;
      continue;
    }
    if (kind === USER) {
      // Before this first user message, no better start was known.
      if (lastUser === -1 && start > first) start = at;
      lastUser = at;
    }
    if (kind === GROUP) lastGroup = at;
    if (windowCost(windowIndex, start, at + 1) > limits.limit) {
      start = nextStart(windowIndex, limits, { start, growth: { end: at + 1, lastUser, lastGroup } });
    }
  }
  return start;
}

interface Cut {
  readonly start: number;
  readonly growth: Growth;
}

/**
 * Returns the next start of the window. It is the first of these three that exists:
 *
 * - the first possible start with which the window costs at most `low`,
 * - the last possible start, if the window then costs at most `limit`,
 * - `end`, so that the window is empty.
 */
function nextStart(windowIndex: WindowIndex, { limit, low }: WindowLimits, { start, growth }: Cut): number {
  const { end, lastUser, lastGroup } = growth;
  const room = limit - (windowIndex.systemCostBefore[end] ?? 0);
  const inside = lastUser === -1 || turnCost(windowIndex, lastUser, end) > room;
  const last = inside && lastGroup > lastUser ? lastGroup : lastUser;
  if (last === -1) return end;
  const least = windowCost(windowIndex, last, end);
  if (least > low) return least <= limit ? last : end;
  for (let index = start + 1; index < last; index++) {
    const allowed = isStart(windowIndex, index, growth, room);
    if (allowed && windowCost(windowIndex, index, end) <= low) return index;
  }
  return last;
}

const turnCost = ({ costBefore, nextUserAfter, size }: WindowIndex, user: number, end: number): number =>
  (costBefore[Math.min(nextUserAfter[user] ?? size, end)] ?? 0) - (costBefore[user] ?? 0);

function isStart(windowIndex: WindowIndex, index: number, { end, lastUser }: Growth, room: number): boolean {
  const kind = windowIndex.kinds[index];
  if (kind !== GROUP) return kind === USER;
  const user = windowIndex.lastUserAt[index] ?? -1;
  return user === -1 ? lastUser === -1 : turnCost(windowIndex, user, end) > room;
}

/**
 * How much of a long history `windowStart` looks at: the newest messages that cost this many times the limit. With a
 * higher number, the start of the window changes less often, and each change makes a prompt cache useless. With a lower
 * number, fewer messages of a long conversation must be read. docs/windows.md contains figures.
 */
export const REPLAYED_WINDOWS = 5;

/**
 * Returns the index from which `windowStart` adds messages:
 *
 * - 0 for a sliding window (`low` equals `limit`), and for a whole history that costs at most `REPLAYED_WINDOWS` times
 *   the limit.
 * - Otherwise the index of a user message. The messages from this index on cost more than the limit, and at most
 *   `REPLAYED_WINDOWS` times the limit. If several user messages meet this condition, they form a range. The result is
 *   the first of them at or after the position in the range that has the most factors of two.
 * - If no user message meets the condition, the last user message from which on the messages cost more than
 *   `REPLAYED_WINDOWS` times the limit, or 0.
 *
 * So the result doesn't depend on earlier messages, and stays the same for about half as many new messages as the range
 * contains.
 */
function replayFrom(windowIndex: WindowIndex, limits: WindowLimits): number {
  const { limit, low, dropped, positionOf } = limits;
  if (low === limit) return 0;
  const { lastUserAt } = windowIndex;
  const newest = lastUserAt[lastBefore(windowIndex, limit)] ?? -1;
  const edge = lastBefore(windowIndex, REPLAYED_WINDOWS * limit);
  const previous = lastUserAt[edge] ?? -1;
  if (edge === -1 && dropped === 0) return 0;
  if (newest <= previous) return Math.max(0, previous);
  const after = previous === -1 ? dropped - 1 : positionOf(previous);
  const roundest = roundestIn(after, positionOf(newest));
  let start = newest;
  for (let user = newest; user > previous && positionOf(user) >= roundest; user = lastUserAt[user - 1] ?? -1)
    start = user;
  return start;
}

/**
 * Returns the last index such that the messages from this index on, together with all system messages, cost more than
 * `cost`. Returns -1 if there is no such index.
 */
function lastBefore({ costBefore, systemCostBefore, size }: WindowIndex, cost: number): number {
  const enough = (costBefore[size] ?? 0) + (systemCostBefore[size] ?? 0) - cost;
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((costBefore[middle] ?? 0) < enough) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the number greater than `after` and at most `last` that has the most factors of two. */
function roundestIn(after: number, last: number): number {
  let step = 1;
  while (Math.floor(last / (2 * step)) > Math.floor(after / (2 * step))) step *= 2;
  return Math.floor(last / step) * step;
}
