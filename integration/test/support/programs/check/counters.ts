import { isDone, nameOf, type Problem, type Timeline, type Write } from "./timeline.ts";

/**
 * A counter that is changed by compare-and-set contains every acknowledged increment: within an incarnation, no two of them
 * returned the same number, and no later read returns less than was acknowledged.
 */
export function counterProblems(timeline: Timeline): readonly Problem[] {
  const { conversationId, seen } = timeline;
  const increments = timeline.writes.filter((write) => write.kind === "increment" && isDone(write));
  // Only these two keep the counter; any other replacement resets it.
  const resets = timeline.writes.some(({ kind, mode }) => mode === "replace" && kind !== "pop");
  if (resets) return [];
  const detail = [
    ...lost(increments),
    ...seen
      .filter(({ isThere, isWhole, totalMessages }) => isThere && (isWhole || totalMessages !== undefined))
      .flatMap((reader) =>
        increments
          .filter(
            ({ expectedIncarnation, counter = 0, end = 0 }) =>
              expectedIncarnation === reader.incarnation &&
              end < reader.begin &&
              counter > (reader.counter ?? 0),
          )
          .map(({ counter }) => `${counter} was acknowledged and ${nameOf(reader)} reads ${reader.counter}`),
      ),
  ];
  return detail.map((one) => ({ rule: "no acknowledged increment is lost", conversationId, detail: one }));
}

function lost(increments: readonly Write[]): readonly string[] {
  const known = new Map<string, Write>();
  return increments.flatMap((write) => {
    const key = `${write.expectedIncarnation} ${write.counter}`;
    const other = known.get(key);
    known.set(key, write);
    return other === undefined ? [] : [`${nameOf(other)} and ${nameOf(write)} both made it ${write.counter}`];
  });
}
