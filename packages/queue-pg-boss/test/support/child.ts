import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundleProcess } from "../../../../test/process-bundle.ts";

export interface WorkerProcess {
  /** The printed lines so far. */
  readonly lines: readonly string[];
  readonly kill: () => Promise<void>;
}

/** Starts a process that works on the queue of a schema. */
export async function startWorkerProcess(connectionString: string, schema: string): Promise<WorkerProcess> {
  const file = await bundleProcess(new URL("worker-child.ts", import.meta.url));
  const child = spawn(process.execPath, [file, connectionString, schema], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  const ended = once(child, "exit");
  return {
    lines,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
