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

/** Returns the index at which the window of a history starts. */
export function windowStart(windowIndex: WindowIndex, limits: WindowLimits): number {
  // The messages are added one by one from the front. Whenever the window exceeds the limit, it is cut down to `low`.
  // So the windows of a growing history begin with the same messages until the next cut. A window starts with a user
  // message. If a turn alone is longer than the limit, the window starts later in this turn, with a group of calls and
  // results, and keeps the turn's user message (`pinnedUserMessage`).
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
 * Returns the next start of the window, the first of these that exists:
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

// With a higher value, the start changes less often, and each change makes a prompt cache useless. With a lower
// value, fewer messages of a long conversation must be read. docs/windows.md contains figures.
/**
 * The newest messages that cost this many times the limit decide where the window starts. `windowStart` looks at no
 * others.
 */
export const REPLAYED_WINDOWS = 5;

/**
 * Returns the index from which `windowStart` adds messages. It stays the same for many new messages, and doesn't depend
 * on the messages before it.
 */
function replayFrom(windowIndex: WindowIndex, limits: WindowLimits): number {
  // - 0 for a sliding window, and for a history that costs at most `REPLAYED_WINDOWS` times the limit.
  // - Otherwise a user message from which on the messages cost more than the limit, and at most `REPLAYED_WINDOWS`
  //   times the limit. Of several, the first at or after the position with the most factors of two. So the result stays
  //   the same for about half as many new messages as there are in this range.
  // - If there is none, the last user message from which on the messages cost more than `REPLAYED_WINDOWS` times the
  //   limit, or 0.
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
 * Returns the last index from which on the messages, with all system messages, cost more than `cost`. Returns -1 if
 * there is none.
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
