import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { runPnpm } from "../repository-copy.ts";

/** The release before the promise about versions: the last commit before that work. */
// Nothing is published yet. With the first release, this is the commit of its tag, and each release raises it.
const PREVIOUS = "47b4403e9baf25b66e5ca4872e9e9ff68bc0dd0a";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));

/** The folder of the previous release's sources, which a second run finds in place. */
const folder = join(repository, "node_modules/.cache/releases", PREVIOUS);

/**
 * Bundles a program of these tests with the sources of the previous release, and returns the path. `program`: its path
 * in the repository. Besides its folder, it may import packages only.
 */
export function bundleWithPreviousRelease(program: string): Promise<string> {
  if (!existsSync(folder)) install();
  const programs = dirname(program);
  cpSync(join(repository, programs), join(folder, programs), { recursive: true });
  return bundleProcess(pathToFileURL(join(folder, program)));
}

function install(): void {
  const own = `${folder}.${process.pid}`;
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  const archive = archived();
  execFileSync("tar", ["-x"], { cwd: own, input: archive });
  try {
    runPnpm(own, ["install", "--offline", "--frozen-lockfile", "--ignore-scripts"], { CI: "1" });
  } catch {
    // The store lacks a package that only the previous release needs.
    runPnpm(own, ["install", "--frozen-lockfile", "--ignore-scripts"], { CI: "1" });
  }
  renameSync(own, folder);
}

function archived(): Buffer {
  try {
    return execFileSync("git", ["archive", PREVIOUS], {
      cwd: repository,
      maxBuffer: 2 ** 30,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (cause) {
    const remedy = "Fetch the whole history: git fetch --unshallow";
    throw new Error(`This clone lacks the commit of the previous release, ${PREVIOUS}. ${remedy}`, { cause });
  }
}
