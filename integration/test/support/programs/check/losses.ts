import {
  type Erasure,
  endOf,
  identityOf,
  isDone,
  nameOf,
  type Problem,
  type Seen,
  type Timeline,
  type Write,
} from "./timeline.ts";

/**
 * Nothing acknowledged is missing: every call that begins after a write's end reads its messages, unless something in
 * between may have removed them: an erasure, a replacement, a pop of this very message, or a trim.
 */
export function lossProblems(timeline: Timeline): readonly Problem[] {
  const { conversationId, writes, seen } = timeline;
  return writes.filter(isDone).flatMap((write) =>
    seen
      .filter(({ isWhole, begin }) => isWhole && begin > endOf(write))
      .flatMap((reader) =>
        write.texts
          .filter((text) => !reader.texts.includes(text) && !isExplained(timeline, { write, reader, text }))
          .map((text) => ({
            rule: "acknowledged messages are readable",
            conversationId,
            detail: `"${text}" of ${nameOf(write)} is missing where ${nameOf(reader)} reads`,
          })),
      ),
  );
}

interface Missing {
  readonly write: Write;
  readonly reader: Seen;
  readonly text: string;
}

function isExplained(timeline: Timeline, missing: Missing): boolean {
  const { erasures, writes } = timeline;
  return (
    erasures.some((erasure) => mayHaveErased(timeline, erasure, missing)) ||
    (missing.reader.isThere && writes.some((other) => mayHaveRemoved(timeline, other, missing)))
  );
}

export function mayHaveErased(
  { seen }: Timeline,
  erasure: Erasure,
  { write, reader }: Pick<Missing, "write" | "reader">,
): boolean {
  if (erasure.begin >= reader.end || endOf(erasure) < write.begin) return false;
  const { userId: cleared } = erasure;
  if (cleared !== undefined && write.userId !== undefined && write.userId !== cleared) return false;
  const { isThere, incarnation } = reader;
  if (!isThere || incarnation === undefined) return true;
  // The messages that are read existed before the erasure began, so they weren't erased.
  if (write.basis?.isThere && write.basis.incarnation === incarnation) return false;
  return !seen.some((one) => one.isThere && one.incarnation === incarnation && one.end < erasure.begin);
}

function mayHaveRemoved({ writes }: Timeline, other: Write, { write, reader, text }: Missing): boolean {
  if (other.begin >= reader.end) return false;
  if (other.maxMessages !== undefined && endOf(other) >= write.begin) return true;
  // A repetition may find messages removed since the first attempt.
  const identity = identityOf(write);
  const first = writes.find((one) => identityOf(one) === identity) ?? write;
  if (endOf(other) < first.begin || identityOf(other) === identity) return false;
  const { mode, basis, dropLast = 0 } = other;
  if (mode === "replace") return !other.texts.includes(text) && (basis?.texts.includes(text) ?? true);
  return dropLast > 0 && (basis?.texts.slice(-dropLast).includes(text) ?? true);
}
