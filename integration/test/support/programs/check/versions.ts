import {
  endOf,
  identityOf,
  isDone,
  nameOf,
  type Problem,
  type Seen,
  type Timeline,
  type Write,
} from "./timeline.ts";

type Counted = "version" | "metadataVersion";

/** Each incarnation and version names one state, is left by one write, and is never come back to. */
export function versionProblems(timeline: Timeline): readonly Problem[] {
  const { conversationId } = timeline;
  const found = [
    ...differing(timeline, "version", ({ texts, nextPosition, isWhole }) =>
      isWhole ? JSON.stringify([texts, nextPosition]) : undefined,
    ),
    ...differing(timeline, "metadataVersion", ({ title, counter }) => JSON.stringify([title, counter])),
    ...(["version", "metadataVersion"] as const).flatMap((counted) => [
      ...wentBack(timeline, counted),
      ...leftTwice(timeline, counted),
      ...leftLate(timeline, counted),
    ]),
  ];
  return found.map((detail) => ({ rule: "a version is used once", conversationId, detail }));
}

/** No incarnation is of two conversations. */
export function incarnationProblems(timelines: readonly Timeline[]): readonly Problem[] {
  const ids = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { conversationId, seen } of timelines) {
    for (const { incarnation, isThere } of seen) {
      if (!isThere || incarnation === undefined) continue;
      const known = ids.get(incarnation) ?? conversationId;
      ids.set(incarnation, known);
      if (known === conversationId) continue;
      const detail = `${incarnation} is of "${known}", too`;
      problems.push({ rule: "an incarnation belongs to one conversation", conversationId, detail });
    }
  }
  return problems;
}

function differing(
  { seen }: Timeline,
  counted: Counted,
  stateOf: (seen: Seen) => string | undefined,
): readonly string[] {
  const known = new Map<string, Seen>();
  return seen.flatMap((one) => {
    const state = one.isThere && one.incarnation !== undefined ? stateOf(one) : undefined;
    if (state === undefined || one[counted] === undefined) return [];
    const key = `${one.incarnation} ${one[counted]}`;
    const other = known.get(key);
    if (other === undefined) known.set(key, one);
    if (other === undefined || stateOf(other) === state) return [];
    return [
      `${counted} ${one[counted]} was ${stateOf(other)} for ${nameOf(other)}, and ${state} for ${nameOf(one)}`,
    ];
  });
}

function wentBack({ seen }: Timeline, counted: Counted): readonly string[] {
  return seen.flatMap((later) =>
    seen
      .filter(
        (earlier) =>
          earlier.end < later.begin &&
          earlier.isThere &&
          earlier.incarnation !== undefined &&
          earlier.incarnation === later.incarnation &&
          (earlier[counted] ?? 0) > (later[counted] ?? Number.POSITIVE_INFINITY),
      )
      .map(
        (earlier) =>
          `${counted} went back from ${earlier[counted]} (${nameOf(earlier)}) to ${later[counted]} (${nameOf(later)})`,
      ),
  );
}

const expectationOf = (write: Write, counted: Counted): number | undefined =>
  counted === "version" ? write.expectedVersion : write.expectedMetadataVersion;

const changes = ({ mode, texts, dropLast = 0, changesMetadata }: Write, counted: Counted): boolean =>
  mode !== "append" || (counted === "version" ? texts.length + dropLast > 0 : changesMetadata);

/** Two writes that expect the same version and change it can't both succeed. */
function leftTwice({ writes }: Timeline, counted: Counted): readonly string[] {
  const known = new Map<string, Write>();
  return writes.flatMap((write) => {
    const expected = expectationOf(write, counted);
    if (!isDone(write) || expected === undefined || !changes(write, counted)) return [];
    if (write.expectedIncarnation === undefined) return [];
    const key = `${write.expectedIncarnation} ${expected}`;
    const other = known.get(key);
    known.set(key, other ?? write);
    if (other === undefined || identityOf(other) === identityOf(write)) return [];
    return [`${nameOf(other)} and ${nameOf(write)} were both done at ${counted} ${expected}`];
  });
}

function leftLate({ writes, seen }: Timeline, counted: Counted): readonly string[] {
  return writes.flatMap((write) => {
    const expected = expectationOf(write, counted);
    if (endOf(write) === Number.POSITIVE_INFINITY || expected === undefined) return [];
    // Under a key it may have been done before that.
    if (write.idempotencyKey !== undefined) return [];
    return seen
      .filter(
        (one) =>
          one.end < write.begin &&
          one.isThere &&
          one.incarnation === write.expectedIncarnation &&
          (one[counted] ?? 0) > expected,
      )
      .map(
        (one) =>
          `${nameOf(write)} was done at ${counted} ${expected}, after ${nameOf(one)} read ${one[counted]}`,
      );
  });
}
