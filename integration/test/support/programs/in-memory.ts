import { createInMemoryProvider, type VersionedMemoryProvider } from "@jaf/memory";
import { below, randomNumbers } from "../random.ts";
import { checkHistory } from "./check/check-history.ts";
import type { HistoryEvent } from "./history.ts";
import type { PlayedProgram } from "./played-program.ts";
import { playWorker } from "./player.ts";
import type { Program } from "./program.ts";
import { randomProgram } from "./random-program.ts";
import { shrinkProgram } from "./shrink-program.ts";
import { surveyed } from "./survey.ts";

/** The lease of a dead process's turn, in milliseconds. */
const TURN_LEASE_MS = 25;
const MOST_TRAVEL_TICKS = 3;
/** How many programs run at the same time, so they share the waits for turns of dead processes. */
const AT_ONCE = 40;

type Open = () => VersionedMemoryProvider;

/** Plays a program with a task for each worker, on its own store. */
export async function playInMemory(
  program: Program,
  open: Open = createInMemoryProvider,
): Promise<PlayedProgram> {
  const store = open();
  const events: HistoryEvent[] = [];
  const tick = () => new Promise<void>((resolve) => void setImmediate(resolve));
  await Promise.all(
    program.workers.map((_, worker) => {
      const random = randomNumbers(program.seed * 31 + worker);
      const travel = async () => {
        for (let count = below(random, MOST_TRAVEL_TICKS + 1); count > 0; count--) await tick();
      };
      const tell = (event: HistoryEvent) => void events.push(event);
      return playWorker({ store, program, worker, tell, tick, travel, leaseMs: TURN_LEASE_MS });
    }),
  );
  const history = await surveyed(store, program, events);
  return { program, history, problems: checkHistory(history) };
}

export interface InMemoryOptions {
  readonly firstSeed: number;
  readonly count: number;
  /** Default: the in-memory provider. */
  readonly open?: Open;
  /** Whether to stop after this failure. Default: all programs are played. */
  readonly isEnough?: (failed: PlayedProgram) => boolean;
}

/** Plays programs, a few at the same time. Returns those that failed. */
export async function playManyInMemory({
  firstSeed,
  count,
  open,
  isEnough = () => false,
}: InMemoryOptions): Promise<{ readonly failed: readonly PlayedProgram[]; readonly played: number }> {
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index).values();
  const failed: PlayedProgram[] = [];
  let played = 0;
  async function work(): Promise<void> {
    for (const seed of seeds) {
      if (failed.some(isEnough)) return;
      const found = await playInMemory(randomProgram(seed), open);
      played += 1;
      if (found.problems.length > 0) failed.push(found);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { failed, played };
}

/** Shrinks a program for a report. One that fails only by chance stays as it is. */
export async function shortened(failed: PlayedProgram): Promise<PlayedProgram> {
  let shortest = failed;
  await shrinkProgram(failed.program, async (program) => {
    const played = await playInMemory(program);
    if (played.problems.length > 0) shortest = played;
    return played.problems.length > 0;
  });
  return shortest;
}
