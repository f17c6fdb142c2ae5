import { GROUP, RESULT, SYSTEM, USER, type WindowIndex, windowCost } from "./window-index.ts";
import type { WindowLimits } from "./window-options.ts";

/** A history up to before `end`. */
interface Growth {
  readonly end: number;
  /** The last user message, or -1. */
  readonly lastUser: number;
  /** The last `GROUP`, or -1. */
  readonly lastGroup: number;
}

/**
 * Returns the start of a window. It adds the history message by message from the front, and whenever the window exceeds
 * the limit, cuts it down to the low mark. So the result only depends on the history, and a longer history continues
 * from the start of a shorter one. Linear, because a start never moves back.
 *
 * A window starts with a user message. Only if a turn is longer than the limit, it starts with a group of calls and
 * results, and keeps the turn's user message before it (see `pinnedUserMessage`).
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
      // Before the first user message there was no better start.
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
 * Returns the first start that meets the low mark, else the last that meets the limit, else the end if nothing fits.
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
 * How many windows before the end the growth is replayed from. With more, the start changes less often, and each change
 * costs a prompt cache. With fewer, less of a long conversation is read. docs/windows.md has figures.
 */
export const REPLAYED_WINDOWS = 5;

/**
 * Returns where to begin growing: at the first message, if the history is not longer than `REPLAYED_WINDOWS` windows.
 * Otherwise at a user message between the beginning of these windows and the last window: the first at or after the
 * position with the most factors of two in this range. It depends on no earlier message, and stays the same for about
 * half as many messages as the range contains.
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
 * Returns the last index from which the messages, with all system content, cost more than `cost`; -1 if there is none.
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

/** Returns the number after `after`, up to `last`, with the most factors of two. */
function roundestIn(after: number, last: number): number {
  let step = 1;
  while (Math.floor(last / (2 * step)) > Math.floor(after / (2 * step))) step *= 2;
  return Math.floor(last / step) * step;
}
