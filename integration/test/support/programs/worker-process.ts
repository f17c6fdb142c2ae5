import { fork } from "node:child_process";
import { once } from "node:events";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { type FromWorker, fromWorkerSchema, type StorePlace, type ToWorker } from "./process-messages.ts";

const worker = await bundleProcess(new URL("program-worker.ts", import.meta.url));

export interface WorkerProcess {
  readonly open: (place: StorePlace) => Promise<void>;
  /** `false` if it was killed before it was done. Rejects if it ended in another way. */
  readonly play: (task: Extract<ToWorker, { kind: "play" }>) => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

export function startWorkerProcess(): WorkerProcess {
  const child = fork(worker, { execArgv: [] });
  const exit = once(child, "exit");
  let onAnswer: ((message: FromWorker) => void) | undefined;
  child.on("message", (data) => onAnswer?.(fromWorkerSchema.parse(data)));

  async function ask(message: ToWorker): Promise<boolean> {
    const answer = new Promise<boolean>((resolve) => {
      onAnswer = () => resolve(true);
    });
    child.send(message);
    const ended = exit.then(([code, signal]: unknown[]) => {
      if (signal !== "SIGKILL") throw new Error(`a process that plays programs ended with ${String(code)}`);
      return false;
    });
    return Promise.race([answer, ended]);
  }

  return {
    open: async (place) => void (await ask({ kind: "open", place })),
    play: ask,
    stop: async () => {
      child.kill("SIGKILL");
      await exit;
    },
  };
}
