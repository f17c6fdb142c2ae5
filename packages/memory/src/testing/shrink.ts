import type { Anomaly, Round } from "./linearizability.ts";

const MAX_RUNS = 60;

/** Every way to leave one thing out: a round first, the latest first, then one operation of a round. */
function shorter(script: readonly Round[]): readonly (readonly Round[])[] {
  const indexes = [...script.keys()].reverse();
  const lessRounds = indexes.map((at) => script.toSpliced(at, 1));
  const lessOperations = indexes.flatMap((at) => {
    const round = script[at] ?? [];
    return round.length < 2
      ? []
      : [...round.keys()].map((client) => script.with(at, round.toSpliced(client, 1)));
  });
  return [...lessRounds, ...lessOperations];
}

/** The shortest anomaly that leaving things out still shows, within a bounded number of runs. */
export async function shrink(
  found: Anomaly,
  rerun: (script: readonly Round[]) => Promise<Anomaly | undefined>,
): Promise<Anomaly> {
  let smallest = found;
  let runs = 0;
  for (let shrunk = true; shrunk; ) {
    shrunk = false;
    for (const script of shorter(smallest.script)) {
      if (runs >= MAX_RUNS) return smallest;
      runs += 1;
      const anomaly = await rerun(script);
      if (anomaly === undefined) continue;
      smallest = anomaly;
      shrunk = true;
      break;
    }
  }
  return smallest;
}
