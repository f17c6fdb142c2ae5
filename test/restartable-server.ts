import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createUnprivilegedFolder,
  freePort,
  type RunningServer,
  spawnServer,
  stopServer,
  type UnprivilegedFolder,
} from "./servers.ts";

/** A server that can be killed and restarted with the same port and folder. */
export interface RestartableServer extends RunningServer {
  readonly port: number;
  /** Kills all its processes at the same time (SIGKILL), and resolves when they have ended. */
  readonly kill: () => Promise<void>;
  /** Stops all its processes (SIGSTOP) until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Starts the server after `kill`. Resolves when it is ready. `args`: additional arguments for this start. */
  readonly start: (args?: readonly string[]) => Promise<void>;
}

export interface ServerDefinition {
  /** The name of the temporary folder. */
  readonly name: string;
  /** The server's user if the tests run as root: the first that exists. */
  readonly users: readonly string[];
  readonly url: (port: number) => string;
  /** Called once, before the first start. */
  readonly prepare?: (folder: UnprivilegedFolder, port: number) => void;
  readonly program: string;
  readonly args: (folder: string, port: number) => readonly string[];
  readonly ready: RegExp;
  readonly stopSignal: NodeJS.Signals;
}

const START_ATTEMPTS = 50;
const START_PAUSE_MS = 100;

function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(file)
    ? readFileSync(file, "utf8")
    : execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .flatMap(([child, parent]) => (Number(parent) === pid ? [child] : []))
        .join(" ");
  return text.split(/\s+/).filter(Boolean).map(Number);
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}

function signalAll(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  for (const pid of [child.pid, ...childrenOf(child.pid)]) signalQuietly(pid, signal);
}

async function killAll(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGSTOP"); // So it neither starts another child nor reacts to a child's end.
  for (const pid of childrenOf(child.pid)) signalQuietly(pid, "SIGKILL");
  child.kill("SIGKILL");
  await ended;
}

/** Starts the server on a free port and in a temporary folder, as an unprivileged user. */
export async function startRestartable(definition: ServerDefinition): Promise<RestartableServer> {
  const folder = createUnprivilegedFolder(definition.name, definition.users);
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function spawn(args: readonly string[]): Promise<void> {
    const all = [...definition.args(folder.path, port), ...args];
    child = await spawnServer(definition.program, all, {
      identity: folder.identity,
      ready: definition.ready,
    });
  }

  // A killed Postgres leaves shared memory in use until the last of its processes has ended.
  async function start(args: readonly string[] = []): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await spawn(args);
      } catch (thrown) {
        if (attempt === START_ATTEMPTS) throw thrown;
        await sleep(START_PAUSE_MS);
      }
    }
  }

  async function stop(): Promise<void> {
    if (child !== undefined) await stopServer(child, definition.stopSignal);
    folder.remove();
  }

  try {
    definition.prepare?.(folder, port);
    await start();
  } catch (thrown) {
    folder.remove();
    throw thrown;
  }
  const kill = async () => (child === undefined ? undefined : killAll(child));
  const pause = () => signalAll(child, "SIGSTOP");
  const resume = () => signalAll(child, "SIGCONT");
  return { url: definition.url(port), port, kill, pause, resume, start, stop };
}
