import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { bundleProcess } from "../../../../test/process-bundle.ts";

export type Child = ChildProcessByStdio<null, Readable, null>;

const writer = await bundleProcess(new URL("./writer-child.ts", import.meta.url));

/** Starts a process with the arguments of `writer-child.ts`. */
export const startWriter = (...args: readonly string[]): Child =>
  spawn(process.execPath, ["--no-warnings", writer, ...args], { stdio: ["ignore", "pipe", "inherit"] });

/** Returns what the child acknowledged until it ended. `onLine` gets the number of lines so far. */
export async function acknowledged(
  child: Child,
  onLine: (lines: number) => void = () => {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  const closed = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) onLine(lines.push(line));
  await closed;
  return lines;
}
