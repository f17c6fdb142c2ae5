import type { History } from "../history.ts";
import { contentProblems } from "./contents.ts";
import { counterProblems } from "./counters.ts";
import { erasureProblems } from "./erasures.ts";
import { lossProblems } from "./losses.ts";
import { popProblems } from "./pops.ts";
import { runProblems } from "./runs.ts";
import { stepProblems } from "./steps.ts";
import { type Problem, timelinesOf } from "./timeline.ts";
import { incarnationProblems, versionProblems } from "./versions.ts";

/** Returns the broken promises of the store and the runs; `[]` if there are none. */
export function checkHistory(history: History): readonly Problem[] {
  const timelines = timelinesOf(history);
  return [
    ...timelines.flatMap((timeline) => [
      ...erasureProblems(timeline),
      ...lossProblems(timeline),
      ...contentProblems(timeline),
      ...versionProblems(timeline),
      ...stepProblems(timeline),
      ...counterProblems(timeline),
      ...popProblems(timeline),
      ...runProblems(timeline, history),
    ]),
    ...incarnationProblems(timelines),
  ];
}
