import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { poll } from "../../../../test/polling.ts";

/** Projects that `npm create jaf` made from the registry, as a user has them. */
export interface Project {
  readonly folder: string;
  /** The whole output of the creation. */
  readonly created: string;
  readonly remove: () => Promise<void>;
}

const run = promisify(execFile);
const NAME = "my-agent";

export interface Creation {
  /** The program and the arguments in front of the folder. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly flags: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Creates a project in an empty folder. Rejects with the output if that fails. */
export async function createProject({ command, flags, environment }: Creation): Promise<Project> {
  const parent = await mkdtemp(join(tmpdir(), "jaf-created-"));
  const [program, ...args] = command;
  const { stdout, stderr } = await run(program, [...args, NAME, ...flags], { cwd: parent, env: environment });
  return {
    folder: join(parent, NAME),
    created: stdout + stderr,
    remove: () => rm(parent, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Runs a script of the project to its end, with these lines as its input. Returns all of its output. */
export async function runScript(
  { folder }: Project,
  script: string,
  {
    environment,
    input = [],
  }: { readonly environment: NodeJS.ProcessEnv; readonly input?: readonly string[] },
): Promise<string> {
  const child = spawn("npm", ["run", "--silent", script], { cwd: folder, env: environment });
  const output = collect(child);
  child.stdin.end(input.map((line) => `${line}\n`).join(""));
  await once(child, "close");
  return output();
}

export interface RunningProject {
  readonly url: string;
  /** Stops the program as Ctrl+C does, and waits for its end. */
  readonly stop: () => Promise<void>;
}

/** Starts a program that serves, and waits until it says where. */
export async function startProject(
  { folder }: Project,
  environment: NodeJS.ProcessEnv,
): Promise<RunningProject> {
  const child = spawn(process.execPath, ["start.js"], { cwd: folder, env: environment });
  const output = collect(child);
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGINT");
    await once(child, "close");
  };
  try {
    const url = await poll("the project's URL", async () => {
      if (child.exitCode !== null) return `The program ended: ${output()}`;
      return /http:\/\/\S+/.exec(output())?.[0];
    });
    if (!url.startsWith("http")) throw new Error(url);
    return { url, stop };
  } catch (thrown) {
    child.kill("SIGKILL");
    throw thrown;
  }
}

function collect(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return () => output;
}
