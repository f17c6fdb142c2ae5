import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { below, randomNumbers } from "../random.ts";
import { checkHistory } from "./check/check-history.ts";
import type { HistoryEvent } from "./history.ts";
import type { PlayedProgram } from "./played-program.ts";
import type { Continuation, Play, StorePlace } from "./process-messages.ts";
import { randomProgram } from "./random-program.ts";
import { openSharedStore } from "./shared-store.ts";
import { surveyed } from "./survey.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

export interface ProcessProgramsOptions {
  readonly place: StorePlace;
  readonly firstSeed: number;
  readonly count: number;
  /** How many programs are played at the same time. */
  readonly atOnce: number;
  /** A process is killed in one of this many slices. */
  readonly killEvery: number;
}

export interface ProcessProgramsReport {
  readonly failed: readonly PlayedProgram[];
  readonly calls: number;
  readonly killed: number;
}

/** Programs have three workers. */
const PROCESSES = 3;
const TURN_LEASE_MS = 150;
/** The average number of calls of a program before a process is killed. */
const CALLS_OF_A_PROGRAM = 15;

type Told = readonly (readonly [seed: number, event: HistoryEvent])[];

const readEvents = (file: string): Told =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** After the last reported call: repeats the operation if a caller would do so, else continues with the next one. */
function continuationsOf(seeds: readonly number[], told: Told, worker: number): readonly Continuation[] {
  return seeds.map((seed) => {
    const last = told.findLast(([of, event]) => of === seed && event.type === "call")?.[1];
    if (last?.type !== "call") return { seed, operation: 0, attempt: 1 };
    const { operation, attempt } = last.call.place;
    const made = randomProgram(seed).workers[worker]?.[operation];
    const isRepeatable = made?.kind === "run" || (made?.kind === "append" && made.identity !== "none");
    return isRepeatable
      ? { seed, operation, attempt: attempt + 1 }
      : { seed, operation: operation + 1, attempt: 1 };
  });
}

/** Lets three processes play programs on one store, kills one of them now and then, and checks the result. */
export async function playInProcesses(options: ProcessProgramsOptions): Promise<ProcessProgramsReport> {
  const { place, firstSeed, count, atOnce, killEvery } = options;
  const folder = mkdtempSync(join(tmpdir(), "jaf-programs-"));
  const survey = await openSharedStore(place);
  const processes = Array.from({ length: PROCESSES }, startWorkerProcess);
  const failed: PlayedProgram[] = [];
  let [calls, killed] = [0, 0];

  async function playPart(task: Play, process: WorkerProcess): Promise<Told> {
    if (await process.play(task)) return readEvents(task.file);
    killed += 1;
    const next = startWorkerProcess();
    processes[task.worker] = next;
    await next.open(place);
    const from = [...continuationsOf(task.seeds, readEvents(task.file), task.worker)];
    const { kill: _, ...again } = task;
    await next.play({ ...again, from });
    return readEvents(task.file);
  }

  async function playSlice(seeds: number[], number: number): Promise<void> {
    const random = randomNumbers(firstSeed + number);
    const victim = number % killEvery === killEvery - 1 ? below(random, PROCESSES) : undefined;
    const kill = { at: 1 + below(random, seeds.length * CALLS_OF_A_PROGRAM), after: random() < 0.5 };
    const parts = await Promise.all(
      processes.map((process, worker) => {
        const file = join(folder, `${number}-${worker}.jsonl`);
        const task: Play = { kind: "play", seeds, worker, file, leaseMs: TURN_LEASE_MS, from: [] };
        return playPart(worker === victim ? { ...task, kill } : task, process);
      }),
    );
    for (const seed of seeds) {
      const program = randomProgram(seed);
      const events = parts.flat().flatMap(([of, event]) => (of === seed ? [event] : []));
      const history = await surveyed(survey.store, program, events);
      calls += history.calls.length;
      const problems = checkHistory(history);
      if (problems.length > 0) failed.push({ program, history, problems });
    }
  }

  try {
    await Promise.all(processes.map((process) => process.open(place)));
    for (let from = 0, number = 0; from < count; from += atOnce, number++) {
      const length = Math.min(atOnce, count - from);
      await playSlice(
        Array.from({ length }, (_, index) => firstSeed + from + index),
        number,
      );
    }
    return { failed, calls, killed };
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
    await survey.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
