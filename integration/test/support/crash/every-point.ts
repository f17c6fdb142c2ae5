import type { Mode } from "./conversation.ts";
import { type Crash, delaysOf, type Point, type Strike } from "./saboteur.ts";
import type { Scenario } from "./scenarios.ts";
import { playTrial, type TrialReport, type TrialStore } from "./trial.ts";

export interface EveryPointOptions {
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly crashes: readonly Crash[];
  /** How many trials are under way at once. Default 40. */
  readonly parallel?: number;
}

export interface EveryPointReport {
  /** What was broken, each with the crash that broke it. */
  readonly broken: readonly string[];
  /** How many trials came to their crash. */
  readonly struck: number;
}

/** Plays a scenario once for each call that it makes to the outside world and each crash that can befall it there. */
export async function crashAtEveryPoint(
  store: TrialStore,
  { scenario, mode, crashes, parallel = 40 }: EveryPointOptions,
): Promise<EveryPointReport> {
  const whole = await playTrial(store, { scenario, mode });
  const broken = whole.broken.map((rule) => `undisturbed: ${rule}`);
  let struck = 0;
  const queue = strikesOf(whole.calls, crashes).values();
  async function work(): Promise<void> {
    for (const strike of queue) {
      const trial = await playTrial(store, { scenario, mode, strikes: [strike] });
      if (trial.struck === undefined || saysTwice(mode, strike, trial.struck)) continue;
      struck += 1;
      const crash = `${strike.crash}, ${strike.delay}, call ${strike.at} (${trial.struck.label})`;
      for (const rule of [...trial.broken, ...difference(scenario, whole, trial)]) {
        broken.push(`${crash}: ${rule}`);
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, work));
  return { broken, struck };
}

const strikesOf = (calls: number, crashes: readonly Crash[]): readonly Strike[] =>
  Array.from({ length: calls }, (_, index) => index + 1).flatMap((at) =>
    crashes.flatMap((crash) => delaysOf(crash).map((delay) => ({ at, crash, delay }))),
  );

/**
 * Where a reply arrives while the client, who knows nothing of it, says the same again and waits in the queue: behind a
 * reply it is something new.
 */
const saysTwice = ({ concurrency, repeats }: Mode, { crash }: Strike, { label }: Point): boolean =>
  concurrency === "queue" &&
  crash === "killed, done late" &&
  label.endsWith("reply") &&
  (repeats || label.startsWith("append user"));

/** A crash changes nothing of what is said in the end, unless its users say something else then. */
const difference = (
  { rivals, decide }: Scenario,
  whole: TrialReport,
  { outline }: TrialReport,
): readonly string[] =>
  rivals || decide !== undefined || JSON.stringify(outline) === JSON.stringify(whole.outline)
    ? []
    : [`another history: ${outline.join(" ")}`];
