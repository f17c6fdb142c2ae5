import type { ConversationRecord, VersionedMemoryProvider } from "@jaf/memory";
import { createSaboteur, type Mortal } from "../crash/saboteur.ts";
import type { Place } from "./history.ts";
import { perform } from "./operations.ts";
import type { Operation, Program } from "./program.ts";
import { recordStore } from "./recorded-store.ts";
import { createRecorder, type Tell } from "./recorder.ts";
import { performRun } from "./run-operation.ts";

/** Options of a worker. */
export interface PlayerOptions {
  readonly store: VersionedMemoryProvider;
  readonly program: Program;
  readonly worker: number;
  readonly tell: Tell;
  /** Waits for some ticks, in which others can run. */
  readonly tick: () => Promise<void>;
  /** The time that a call and its answer take. */
  readonly travel: () => Promise<void>;
  readonly leaseMs: number;
  /** Wraps the calls of an attempt, in addition to its strike. */
  readonly watch?: (mortal: Mortal) => Mortal;
  /** Where to continue, possibly with one more attempt than the operation has. Default: at the first operation. */
  readonly from?: Pick<Place, "operation" | "attempt">;
}

const timesOf = (operation: Operation): number => ("times" in operation ? operation.times : 1);

const strikesOf = ({ strike }: Operation) => (strike === undefined ? [] : [strike]);

/** A dead process's write arrives this many ticks later. */
const LATE_TICKS = 6;

/** Runs the operations of one worker one after the other, each as often as it says. */
export async function playWorker(options: PlayerOptions): Promise<void> {
  const { program, worker, tick, from = { operation: 0, attempt: 1 } } = options;
  const exported = new Map<number, ConversationRecord>();
  const late: Promise<void>[] = [];
  const arriveLate = async (arrive: () => Promise<void>) => {
    for (let count = 0; count < LATE_TICKS; count++) await tick();
    await arrive();
  };
  for (const [index, operation] of (program.workers[worker] ?? []).entries()) {
    if (index < from.operation) continue;
    const first = index === from.operation ? from.attempt : 1;
    for (let number = first; number <= Math.max(first, timesOf(operation)); number++) {
      const place = { worker, operation: index, attempt: number };
      const end = await attempt({ ...options, place, operation, exported });
      if (operation.strike?.crash === "killed, done late") late.push(arriveLate(end));
    }
  }
  await Promise.all(late);
}

interface AttemptOptions extends PlayerOptions {
  readonly place: Place;
  readonly operation: Operation;
  readonly exported: Map<number, ConversationRecord>;
}

/** Lets calls in progress arrive after their process has died. */
async function attempt(options: AttemptOptions): Promise<() => Promise<void>> {
  const { place, operation, exported, program, tell, travel, watch = (mortal) => mortal } = options;
  const saboteur = createSaboteur(place.attempt > 1 ? [] : strikesOf(operation));
  const mortal = watch(saboteur.open());
  const record = createRecorder({ tell, mortal, travel });
  const store = recordStore({ store: options.store, record, place, kind: operation.kind });
  const work = { program, place, store, exported };
  try {
    if (operation.kind === "run") await performRun({ ...options, ...work, mortal }, operation);
    else await perform(work, operation);
  } catch (thrown) {
    if (!mortal.signal.aborted) throw thrown;
  }
  return saboteur.end;
}
