import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import type { ServerChildOptions } from "./server-child.ts";

export interface ServerProcess {
  readonly url: string;
  /** Like a crash: the process ends immediately. */
  readonly kill: () => Promise<void>;
  /** Like a deployment: the process finishes or hands over its running turns. */
  readonly stop: () => Promise<void>;
}

/** Starts a server in its own process. */
export const startServerProcess = async (options: ServerChildOptions): Promise<ServerProcess> =>
  startBundledServer(await bundleProcess(new URL("server-child.ts", import.meta.url)), options);

/** Starts a bundled server in its own process. The server must print its URL as the first line. */
export async function startBundledServer(file: string, options: object): Promise<ServerProcess> {
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await firstLine(child);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return { url, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("The process has no output.");
  for await (const line of createInterface(stdout)) return line;
  throw new Error("The server process ended before it listened.");
}
