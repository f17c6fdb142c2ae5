import type { WindowLimits } from "./options.ts";
import { GROUP, type Outline, RESULT, SYSTEM, USER, windowCost } from "./outline.ts";

/** A history as it grew up to before `end`. */
interface Growth {
  readonly end: number;
  /** The last user message, -1 if there is none yet. */
  readonly lastUser: number;
  /** The last `GROUP`, -1 if there is none yet. */
  readonly lastGroup: number;
}

/**
 * Where a window begins: the history is grown from the front, message by message, and whenever the window passes the
 * limit, it is cut down to the low mark. So the result depends on the history alone, and a longer one goes on from
 * where a shorter one was. Linear, since a start never moves back.
 *
 * A window starts on a user message. Only in a turn that is longer than the limit it starts on a group of call and
 * results, and the user message of the turn is kept before it (see `pinnedBefore`).
 */
export function windowStart(outline: Outline, limits: WindowLimits): number {
  const { kinds, turns, size } = outline;
  const first = kinds.findIndex((kind) => kind === USER || kind === GROUP);
  const front = replayFrom(outline, limits);
  let start = front;
  let lastUser = turns[front - 1] ?? -1;
  let lastGroup = -1;
  for (let at = front; at < size; at++) {
    const kind = kinds[at];
    if (start === at && (kind === RESULT || kind === SYSTEM)) {
      start = at + 1;
      continue;
    }
    if (kind === USER) {
      // Before the first user message there was nothing better to start on.
      if (lastUser === -1 && start > first) start = at;
      lastUser = at;
    }
    if (kind === GROUP) lastGroup = at;
    if (windowCost(outline, start, at + 1) > limits.limit) {
      start = nextStart(outline, limits, { start, growth: { end: at + 1, lastUser, lastGroup } });
    }
  }
  return start;
}

interface Cut {
  readonly start: number;
  readonly growth: Growth;
}

/** The first start that meets the low mark, else the last that meets the limit, else the end: nothing fits. */
function nextStart(outline: Outline, { limit, low }: WindowLimits, { start, growth }: Cut): number {
  const { end, lastUser, lastGroup } = growth;
  const room = limit - (outline.systemBefore[end] ?? 0);
  const inside = lastUser === -1 || turnCost(outline, lastUser, end) > room;
  const last = inside && lastGroup > lastUser ? lastGroup : lastUser;
  if (last === -1) return end;
  const least = windowCost(outline, last, end);
  if (least > low) return least <= limit ? last : end;
  for (let index = start + 1; index < last; index++) {
    const allowed = isStart(outline, index, growth, room);
    if (allowed && windowCost(outline, index, end) <= low) return index;
  }
  return last;
}

const turnCost = ({ before, nextTurns, size }: Outline, user: number, end: number): number =>
  (before[Math.min(nextTurns[user] ?? size, end)] ?? 0) - (before[user] ?? 0);

function isStart(outline: Outline, index: number, { end, lastUser }: Growth, room: number): boolean {
  const kind = outline.kinds[index];
  if (kind !== GROUP) return kind === USER;
  const user = outline.turns[index] ?? -1;
  return user === -1 ? lastUser === -1 : turnCost(outline, user, end) > room;
}

/**
 * Where to begin growing. The true beginning, unless the store has dropped it: then of all messages behind which more
 * than a window follows the one whose number in the whole conversation has the most factors of two. It stays the same
 * while the store drops and gets messages, for about as many messages as the store keeps beyond the window.
 */
function replayFrom({ before, systemBefore, size }: Outline, { limit, low, dropped }: WindowLimits): number {
  if (dropped === 0 || low === limit) return 0;
  const enough = (before[size] ?? 0) + (systemBefore[size] ?? 0) - limit;
  let newest = -1;
  while (newest + 1 < size && (before[newest + 1] ?? 0) < enough) newest += 1;
  if (newest < 0) return 0;
  let step = 1;
  while (Math.ceil(dropped / (2 * step)) * 2 * step <= dropped + newest) step *= 2;
  return Math.ceil(dropped / step) * step - dropped;
}
