import { createInMemoryProvider, type VersionedMemoryProvider } from "@jaf/memory";
import { below, randomNumbers } from "../random.ts";
import { checkHistory } from "./check/check-history.ts";
import type { Problem } from "./check/timeline.ts";
import type { History, HistoryEvent } from "./history.ts";
import { playWorker } from "./player.ts";
import type { Program } from "./program.ts";
import { surveyed } from "./survey.ts";

/** Of a turn whose process is gone, in milliseconds. */
const TURN_LEASE_MS = 25;
const MOST_TRAVEL_TICKS = 3;

export interface Played {
  readonly history: History;
  readonly problems: readonly Problem[];
}

/** Plays a program with a task for each worker, on a store of its own. */
export async function playInMemory(
  program: Program,
  open: () => VersionedMemoryProvider = createInMemoryProvider,
): Promise<Played> {
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
      return playWorker({ store, program, worker, tell, tick, travel, turnLeaseMs: TURN_LEASE_MS });
    }),
  );
  const history = await surveyed(store, program, events);
  return { history, problems: checkHistory(history) };
}
