import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

export type Child = ChildProcessByStdio<null, Readable, null>;

const flags = ["--import", "tsx", "--conditions=@jaf/source"];
const commandOf = (script: string): readonly string[] => [
  process.execPath,
  ...flags,
  fileURLToPath(new URL(script, import.meta.url)),
];

/** Runs a script of this folder in its own process, in the package's folder. */
export const startChild = (script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Child =>
  start([...commandOf(script), ...args], env);

/** Like `startChild`, but limits the size of files to `blocks` of 512 bytes. */
export const startCramped = (script: string, args: readonly string[], blocks: number): Child =>
  start(["sh", "-c", `ulimit -f ${blocks}; exec "$@"`, "sh", ...commandOf(script), ...args], {});

function start([command = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): Child {
  return spawn(command, args, {
    cwd: packageFolder,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Returns the child's output. Throws if its exit code isn't 0. */
export async function finish(child: Child): Promise<string> {
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`The child ended with ${code}: ${output}`);
  return output;
}
