import type { EndedTurn, StoreCalls, TurnLoad } from "./messages.ts";
import { type TurnPlan, tokenOf } from "./plan.ts";
import { startTurnProcess } from "./process.ts";

const PROGRESS_MS = 5_000;

export interface LoadOptions extends Omit<TurnLoad, "process" | "processes"> {
  /** The title in the lines of progress. */
  readonly title: string;
  /** Kills this process once all processes together have taken this many turns. */
  readonly kill?: { readonly process: number; readonly afterTurns: number };
}

export type TurnRecord = EndedTurn & TurnPlan;

/** The processes' reports. */
export interface LoadOutcome {
  /** By token: every turn of a living process, and the reported turns of a killed one. */
  readonly turns: ReadonlyMap<string, TurnRecord>;
  /** The total of all processes that weren't killed. */
  readonly calls: StoreCalls;
  readonly elapsedMs: number;
}

export interface TurnProcesses {
  readonly count: number;
  /** Lets all processes take all turns of the load at the same time. */
  readonly run: (options: LoadOptions) => Promise<LoadOutcome>;
  readonly stop: () => Promise<void>;
}

function addUp(calls: readonly (StoreCalls | undefined)[]): StoreCalls {
  const sum = (field: keyof StoreCalls) => calls.reduce((total, one) => total + (one?.[field] ?? 0), 0);
  return { reads: sum("reads"), headReads: sum("headReads"), writes: sum("writes") };
}

/** Processes that take one load after the other. A killed process is replaced when the next load begins. */
export function startTurnProcesses(count: number): TurnProcesses {
  const processes = Array.from({ length: count }, startTurnProcess);

  async function run({ title, kill, ...load }: LoadOptions): Promise<LoadOutcome> {
    for (const [index, process] of processes.entries())
      if (!process.isAlive()) processes[index] = startTurnProcess();
    await Promise.all(processes.map((one, process) => one.open({ ...load, process, processes: count })));

    const turns = new Map<string, TurnRecord>();
    const total = count * load.conversations * load.turns;
    const report = () => void process.stdout.write(`${title}: ${turns.size} of ${total} turns\n`);
    const progress = setInterval(report, PROGRESS_MS);
    const began = performance.now();
    try {
      const going = processes.map((one, process) =>
        one.go((turn) => {
          turns.set(tokenOf({ ...turn, process }), { ...turn, process });
          if (turns.size === kill?.afterTurns) void processes[kill.process]?.kill();
        }),
      );
      const calls = addUp(await Promise.all(going));
      return { turns, calls, elapsedMs: performance.now() - began };
    } finally {
      clearInterval(progress);
    }
  }

  return {
    count,
    run,
    stop: async () => void (await Promise.all(processes.map((process) => process.kill()))),
  };
}
