import type { Crash, Strike } from "../crash/saboteur.ts";
import type { TrialStore } from "../crash/trial.ts";
import type { Memory } from "./tree.ts";
import { playTree } from "./trial.ts";

export interface KillOptions {
  readonly memory: Memory;
  readonly crashes: readonly Crash[];
  /** How many trials run at the same time. Default 20. */
  readonly parallel?: number;
  /** Only every nth call is struck. Default 1. */
  readonly every?: number;
}

export interface KillReport {
  /** The broken rules, each with its crash. */
  readonly broken: readonly string[];
  /** How many trials reached their crash. */
  readonly struck: number;
}

/** Plays the tree once for each of its external calls, with a crash at that call. */
export async function killTreeAtEveryCall(
  store: TrialStore,
  { memory, crashes, parallel = 20, every = 1 }: KillOptions,
): Promise<KillReport> {
  const whole = await playTree(store, { memory });
  const broken = [...whole.broken, ...whole.lost].map((rule) => `undisturbed: ${rule}`);
  let struck = 0;
  const strikes = crashes.flatMap((crash) =>
    Array.from(
      { length: Math.floor(whole.calls / every) },
      (_, index): Strike => ({ at: (index + 1) * every, crash }),
    ),
  );
  const queue = strikes.values();
  async function work(): Promise<void> {
    for (const strike of queue) {
      const trial = await playTree(store, { memory, strikes: [strike] });
      if (trial.struck === undefined) continue;
      struck += 1;
      const crash = `${strike.crash}, call ${strike.at} (${trial.struck.label})`;
      // A model or tool that fails gives the outer agent an error result.
      const mayLose = strike.crash.startsWith("fails") && ["model", "tool"].includes(trial.struck.on);
      const rules = mayLose ? trial.broken : [...trial.broken, ...trial.lost];
      broken.push(...rules.map((rule) => `${crash}: ${rule}`));
    }
  }
  await Promise.all(Array.from({ length: parallel }, work));
  return { broken, struck };
}
