import type { History, Place, RunEnd } from "../history.ts";
import { endOf, nameOf, type Problem, type Timeline, type Write } from "./timeline.ts";

const isSameRun = (a: Place, b: Place): boolean => a.worker === b.worker && a.operation === b.operation;

/** Whether something may have erased the conversation, and so any trace of the run, between two moments. */
const mayBeErased = ({ erasures }: Timeline, from: number, until: number): boolean =>
  erasures.some((erasure) => erasure.begin < until && endOf(erasure) > from);

/** Checks repeated runs of the same state, and conflicts. */
export function runProblems(timeline: Timeline, { uses, runs }: History): readonly Problem[] {
  const { conversationId } = timeline;
  const own = runs.filter((run) => run.conversationId === conversationId);
  const ends = timeline.writes.filter(({ finals = [], outcome }) => finals.length > 0 && outcome === "done");
  return [
    ...ends.flatMap((end) => [
      ...uses
        .filter((use) => use.conversationId === conversationId && isAgain(timeline, end, use))
        .map(({ idempotencyKey }) => ({
          rule: "no tool runs again for a run that had ended",
          detail: `${nameOf(end)} had ended, and a tool ran under ${idempotencyKey}`,
        })),
      ...own
        .filter(
          (run) =>
            isAgain(timeline, end, { place: run.place, at: run.begin, until: run.end }) &&
            run.outcome === "completed" &&
            run.output !== end.finals?.at(-1),
        )
        .map((run) => ({
          rule: "a run that had ended has its outcome",
          detail: `${nameOf(end)} ended with "${end.finals?.at(-1)}", and ${nameOf(run)} with "${run.output}"`,
        })),
    ]),
    ...own.flatMap((run) => unstored(timeline, run)),
    ...own.flatMap((run) => causeless(timeline, run)),
  ].map((problem) => ({ ...problem, conversationId }));
}

/** Whether this belongs to an attempt that began after an earlier one had ended, without an erasure in between. */
function isAgain(
  timeline: Timeline,
  end: Write,
  { place, at, until = at }: { readonly place: Place; readonly at: number; readonly until?: number },
): boolean {
  if (!isSameRun(end.place, place) || end.place.attempt >= place.attempt) return false;
  const first = timeline.writes.find((write) => isSameRun(write.place, end.place));
  const loaded = first?.basis?.end ?? first?.begin ?? 0;
  // A late write may have arrived after the next attempt had begun.
  const begun = timeline.writes
    .concat()
    .find((write) => isSameRun(write.place, place) && write.place.attempt === place.attempt);
  const began = Math.min(begun?.basis?.end ?? begun?.begin ?? at, at);
  return endOf(end) < began && !mayBeErased(timeline, loaded, until);
}

/** The output that a run returned is stored, unless it was erased. */
function unstored({ writes, seenWith }: Timeline, run: RunEnd): readonly { rule: string; detail: string }[] {
  const { outcome, output, place } = run;
  // A killed process never acknowledged it, but it was read.
  const isStored =
    writes.some((write) => write.outcome === "done" && write.texts.includes(output ?? "")) ||
    seenWith(output ?? "").length > 0;
  if (outcome !== "completed" || isStored) return [];
  return [
    { rule: "what a run answered is stored", detail: `"${output}" of ${nameOf({ place })} was never stored` },
  ];
}

/** A run conflicts only with changes of messages, erasures and leases. */
function causeless(timeline: Timeline, run: RunEnd): readonly { rule: string; detail: string }[] {
  const { outcome, begin, end, place } = run;
  const problem = () => [
    {
      rule: "no run ends with a conflict without a cause",
      detail: `${nameOf({ place })} ended with ${outcome}`,
    },
  ];
  if (outcome.startsWith("InternalError")) return problem();
  if (outcome === "MemoryConflictError metadata-version") return problem();
  if (!/MemoryConflictError (version|incarnation)/.test(outcome)) return [];
  // An earlier attempt of the same run in a dead process may be the cause.
  const others = timeline.writes.filter(
    (write) =>
      !(isSameRun(write.place, place) && write.place.attempt === place.attempt) &&
      write.begin < end &&
      endOf(write) > begin,
  );
  // A run recognises a conversation that it created by its own lease, unless the lease has expired and another replaced it.
  const isNote = ({ title, counter, changesMetadata }: Write) =>
    outcome === "MemoryConflictError incarnation" &&
    changesMetadata &&
    title === undefined &&
    counter === undefined;
  const hasCause =
    others.some(
      (write) =>
        write.texts.length + (write.dropLast ?? 0) > 0 ||
        write.mode !== "append" ||
        write.creates ||
        isNote(write),
    ) ||
    mayBeErased(timeline, begin, end) ||
    timeline.writes.some((write) => isSameRun(write.place, place) && write.outcome === "unknown");
  return hasCause ? [] : problem();
}
