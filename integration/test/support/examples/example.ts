import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { poll } from "../../../../test/polling.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** A copy of an example in a temporary folder. */
export interface ExampleCopy {
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/** Copies the files of `examples/<name>` that a user gets, without what a build has left there. */
export async function copyExample(name: string): Promise<ExampleCopy> {
  const cwd = join(root, "examples", name);
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd,
    encoding: "utf8",
  });
  const folder = await mkdtemp(join(tmpdir(), `jaf-${name}-`));
  for (const file of listed.split("\0").filter((path) => path !== "")) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(cwd, file), join(folder, file));
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

export interface Surroundings {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Runs a program to its end and returns its output. Rejects with the output of a program that failed. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, environment }: Surroundings,
): Promise<string> {
  const options = { cwd, env: environment, maxBuffer: 2 ** 26 };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (thrown) {
    const { stdout = "", stderr = "" } = thrown as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  }
}

export interface StartedProgram {
  /** All output so far. */
  readonly output: () => string;
  /** Sends the signal and returns the exit code, or `null` if the signal ended the program. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

const running = new Set<ChildProcess>();
process.once("exit", () => running.forEach(killGroup));

/** Ends the program and all that it started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {} // They have ended.
}

/** Starts a server, and resolves when its output matches `ready`. */
export async function startProgram(
  program: string,
  args: readonly string[],
  { cwd, environment, ready }: Surroundings & { readonly ready: RegExp },
): Promise<StartedProgram> {
  const child = spawn(program, args, {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = once(child, "exit");
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    killGroup(child);
    running.delete(child);
    return child.exitCode;
  };
  try {
    await poll(`the start of ${program} ${args.join(" ")}`, async () => {
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${output}`);
      return ready.test(output) || undefined;
    });
  } catch (thrown) {
    await end("SIGKILL");
    throw thrown;
  }
  return { output: () => output, end };
}
