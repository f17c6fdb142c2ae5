import type { Durability } from "@jaf/core";
import { brokenRules } from "./check.ts";
import { type Played, playProgram } from "./player.ts";
import type { World } from "./process.ts";
import { randomProgram } from "./program.ts";

export interface ManyOptions {
  readonly openWorld: () => Promise<World>;
  readonly durability: Durability;
  readonly firstSeed: number;
  readonly count: number;
  /** How many programs are played at a time, each on stores of its own. */
  readonly atOnce: number;
}

export interface FailedProgram {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly played: Played;
}

/** Plays the programs of many seeds. Resolves with those that broke a rule. */
export async function playMany({ openWorld, durability, firstSeed, count, atOnce }: ManyOptions) {
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index).values();
  const failed: FailedProgram[] = [];
  async function lane(): Promise<void> {
    // Servers take over every turn of their stores, so only one program at a time may use them.
    let world = await openWorld();
    for (const seed of seeds) {
      const played = await playProgram(randomProgram(seed, durability), world);
      const broken = brokenRules(played);
      if (broken.length === 0) continue;
      failed.push({ seed, broken, played });
      world = await openWorld(); // It may not have come to rest.
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane));
  return failed;
}

/** Describes a failure: its seed, the broken rules, the program, and what happened. */
export const describeFailed = ({ seed, broken, played }: FailedProgram): string =>
  [
    `seed ${seed}: ${broken.length} broken rules`,
    ...broken.map((rule) => `  ${rule}`),
    ...played.program.operations.map((operation) => `  ${JSON.stringify(operation)}`),
    ...played.notes.all().map((note) => `    ${JSON.stringify(note)}`),
    ...played.messages.map((message) => `    ${JSON.stringify(message)}`),
    ...played.turns.map(({ turnId, events }) => `    ${turnId}: ${JSON.stringify(events)}`),
  ].join("\n");
