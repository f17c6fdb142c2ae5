import {
  concerns,
  type Erasure,
  endOf,
  isDone,
  marksOf,
  nameOf,
  type Problem,
  type Seen,
  type Timeline,
  type Write,
} from "./timeline.ts";

/**
 * Erased data isn't readable unless a call that began after the erasure wrote it. Calls overlap, and each takes effect at
 * any moment between its begin and its end. So a write certainly came before an acknowledged erasure, and a call that
 * begins after the erasure must not read its marks, if
 *
 * 1. it had ended before the erasure began; or
 * 2. it was decided on a reading (a run's load, a compare-and-set's expectation) that had ended before the erasure began:
 *    a later write would have been refused; or
 * 3. one of its marks was read by a call that ended before the erasure began, and no other write can have written it:
 *    a write takes effect once.
 *
 * A clearing of a user erases the conversations that are known to be theirs by the write or the reading.
 */
export function erasureProblems(timeline: Timeline): readonly Problem[] {
  return timeline.erasures
    .filter(isDone)
    .flatMap((erasure) => [
      ...readableAfter(timeline, erasure),
      ...acknowledgedAfter(timeline, erasure),
      ...outlived(timeline, erasure),
    ]);
}

export function cameBefore(timeline: Timeline, erasure: Erasure, writer: Write, mark: string): boolean {
  const before = timeline.seenWith(mark).filter(({ end }) => end < erasure.begin);
  // If several writes have this mark, each may have found another owner.
  const isOnly = timeline.writersOf(mark).length === 1;
  const isConcerned =
    concerns(erasure, writer.userId) || (isOnly && before.some(({ owner }) => concerns(erasure, owner)));
  if (endOf(writer) < erasure.begin && isConcerned) return true;
  if (wasDecidedBefore(erasure, writer)) return true;
  return before.some(
    (seen) =>
      (concerns(erasure, seen.owner) || concerns(erasure, writer.userId)) &&
      timeline.writersOf(mark).every((other) => other === writer || other.begin >= seen.end),
  );
}

function wasDecidedBefore(erasure: Erasure, { basis, userId }: Write): boolean {
  if (basis === undefined || basis.end >= erasure.begin) return false;
  return concerns(erasure, basis.isThere ? basis.owner : userId);
}

function readableAfter(timeline: Timeline, erasure: Erasure): readonly Problem[] {
  const { conversationId } = timeline;
  return timeline.seen
    .filter(({ begin }) => begin > endOf(erasure))
    .flatMap((seen) =>
      marksOf(seen).flatMap((mark) => {
        const writers = timeline.writersOf(mark).filter(({ begin }) => begin < seen.end);
        if (writers.length === 0 || writers.some((one) => !cameBefore(timeline, erasure, one, mark)))
          return [];
        const detail = `"${mark}" was erased by ${nameOf(erasure)} and is read by ${nameOf(seen)}`;
        return [{ rule: "erased data is not readable", conversationId, detail }];
      }),
    );
}

function acknowledgedAfter(timeline: Timeline, erasure: Erasure): readonly Problem[] {
  const { conversationId } = timeline;
  return timeline.writes
    .filter((write) => isDone(write) && write.begin > endOf(erasure) && wasDecidedBefore(erasure, write))
    .map((write) => ({
      rule: "writes decided on erased data are refused",
      conversationId,
      detail: `${nameOf(write)} was acknowledged, though decided before ${nameOf(erasure)}`,
    }));
}

/** An erasure ends the incarnation. */
function outlived(timeline: Timeline, erasure: Erasure): readonly Problem[] {
  const { conversationId, seen } = timeline;
  const isOver = ({ isThere, end, owner }: Seen) =>
    isThere && end < erasure.begin && concerns(erasure, owner);
  const over = new Set(seen.filter(isOver).map(({ incarnation }) => incarnation));
  over.delete(undefined);
  return seen
    .filter(({ begin, isThere, incarnation }) => isThere && begin > endOf(erasure) && over.has(incarnation))
    .map((one) => ({
      rule: "an incarnation ends with its erasure",
      conversationId,
      detail: `incarnation ${one.incarnation} was erased by ${nameOf(erasure)} and is read by ${nameOf(one)}`,
    }));
}
