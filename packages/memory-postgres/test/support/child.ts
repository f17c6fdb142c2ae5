import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundleProcess } from "../../../../test/process-bundle.ts";

export interface Child {
  readonly process: ChildProcess;
  /** The printed lines so far. */
  readonly lines: readonly string[];
  /** Resolves with the first line that begins with `prefix`. */
  readonly line: (prefix: string) => Promise<string>;
  readonly kill: () => Promise<void>;
}

/** Runs a script of this folder in a separate process. */
export async function startChild(script: string, args: readonly string[]): Promise<Child> {
  const file = await bundleProcess(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const reader = createInterface(child.stdout);
  const lines: string[] = [];
  reader.on("line", (line) => lines.push(line));
  const ended = once(child, "exit");
  return {
    process: child,
    lines,
    line: async (prefix) => {
      for (;;) {
        const found = lines.find((line) => line.startsWith(prefix));
        if (found !== undefined) return found;
        const next = await Promise.race([once(reader, "line"), ended.then(() => undefined)]);
        if (next === undefined && !lines.some((line) => line.startsWith(prefix))) {
          throw new Error(`${script} ended without "${prefix}": ${lines.join(" | ")}`);
        }
      }
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
