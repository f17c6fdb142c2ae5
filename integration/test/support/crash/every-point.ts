import type { Mode } from "./conversation.ts";
import { type Crash, delaysOf, type Point, type Strike } from "./saboteur.ts";
import type { Scenario } from "./scenarios.ts";
import { playTrial, type TrialReport, type TrialStore } from "./trial.ts";

export interface EveryPointOptions {
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly crashes: readonly Crash[];
  /** How many trials run at the same time. Default 40. */
  readonly parallel?: number;
}

export interface EveryPointReport {
  /** The broken rules, each with its crash. */
  readonly broken: readonly string[];
  /** The number of trials that reached their crash. */
  readonly struck: number;
}

/** Plays a scenario once for each of its external calls and each crash that is possible there. */
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
 * Whether a reply arrives while the client, unaware of it, repeats its message and waits in the queue: after a reply, the
 * repeated message is a new one.
 */
const saysTwice = ({ concurrency, repeats }: Mode, { crash }: Strike, { label }: Point): boolean =>
  concurrency === "queue" &&
  crash === "killed, done late" &&
  label.endsWith("reply") &&
  (repeats || label.startsWith("append user"));

/** A crash doesn't change the final conversation, unless its users then send something else. */
const difference = (
  { rivals, decide }: Scenario,
  whole: TrialReport,
  { outline }: TrialReport,
): readonly string[] =>
  rivals || decide !== undefined || JSON.stringify(outline) === JSON.stringify(whole.outline)
    ? []
    : [`another history: ${outline.join(" ")}`];
