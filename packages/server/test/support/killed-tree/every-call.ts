import { playKilledTree, type TreeTrial } from "./trial.ts";

export interface KillOptions extends Omit<TreeTrial, "death"> {
  /** Only every nth call is the last one of a server. Default 1. */
  readonly every?: number;
  /** How many trials run at the same time. Default 12. */
  readonly parallel?: number;
}

/** Plays the tree once for each call of its server, which dies before or after that call. */
export async function killServerAtEveryCall({ every = 1, parallel = 12, ...trial }: KillOptions) {
  const whole = await playKilledTree(trial);
  const broken = whole.broken.map((rule) => `undisturbed: ${rule}`);
  let died = 0;
  const deaths = Array.from({ length: Math.floor(whole.calls / every) }, (_, index) => index * every + 1)
    .flatMap((at) => [true, false].map((isDone) => ({ at, isDone })))
    .values();
  async function work(): Promise<void> {
    for (const death of deaths) {
      const report = await playKilledTree({ ...trial, death });
      if (report.hasDied) died += 1;
      const when = `killed ${death.isDone ? "after" : "before"} call ${death.at}`;
      broken.push(...report.broken.map((rule) => `${when}: ${rule}`));
    }
  }
  await Promise.all(Array.from({ length: parallel }, work));
  return { broken, died, calls: whole.calls };
}
