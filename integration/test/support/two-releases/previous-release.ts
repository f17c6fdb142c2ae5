import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type PackedPackage, pack } from "../../../../scripts/pack.ts";
import { bundleForProject } from "../../../../test/process-bundle.ts";
import { runPnpm } from "../repository-copy.ts";

/** The release before the promise about versions: the last commit before that work. */
// Nothing is published yet. With the first release, this is the commit of its tag, and each release raises it.
const PREVIOUS = "47b4403e9baf25b66e5ca4872e9e9ff68bc0dd0a";

/** The packages that the programs import. Those that they depend on are built and packed, too. */
const OURS = ["@jaf/core", "@jaf/memory", "@jaf/memory-postgres", "@jaf/memory-redis", "@jaf/server"];
const OTHERS = { pg: "8", redis: "6", zod: "4" };

const repository = fileURLToPath(new URL("../../../..", import.meta.url));

/** A project that has installed the packed packages of the previous release. A second run finds it in place. */
const project = join(repository, "node_modules/.cache/packed-releases", PREVIOUS);

/**
 * Bundles a program of these tests for a project that has installed the packages of the previous release, and returns the
 * path. Besides its folder, the program may import packages only.
 */
export async function bundleForPreviousRelease(program: URL): Promise<string> {
  if (!existsSync(project)) await createProject();
  return bundleForProject(program, project);
}

/** Creates the project beside its place and moves it there, so that a folder that exists is whole. */
async function createProject(): Promise<void> {
  const own = `${project}.${process.pid}`;
  rmSync(own, { recursive: true, force: true });
  try {
    install(own, await packPrevious(join(own, "tarballs")));
    renameSync(own, project);
  } catch (thrown) {
    rmSync(own, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(project)) throw thrown;
  }
}

/** Builds and packs the packages as that release did, outside of this repository. */
async function packPrevious(out: string): Promise<readonly PackedPackage[]> {
  const copy = mkdtempSync(join(tmpdir(), "jaf-previous-release-"));
  try {
    execFileSync("tar", ["-x"], { cwd: copy, input: archived() });
    installPackages(copy, ["--frozen-lockfile"]);
    const selected = OURS.flatMap((name) => ["--filter", `${name}...`]);
    runPnpm(copy, [...selected, "run", "build"]);
    // The script before packing demands declarations and documents, which no program needs.
    return await pack(copy, out, [...selected, "--ignore-scripts"]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Installs the tarballs into an empty project: each package of ours, also as a dependency, is that of its tarball. */
function install(folder: string, packed: readonly PackedPackage[]): void {
  const overrides = Object.fromEntries(
    packed.map(({ name, tarball }) => [name, `file:./tarballs/${basename(tarball)}`]),
  );
  const dependencies = { ...Object.fromEntries(OURS.map((name) => [name, overrides[name]])), ...OTHERS };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  // With this file, the project is no part of this repository's workspace.
  writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ overrides }));
  installPackages(folder, ["--no-frozen-lockfile"]);
}

function installPackages(folder: string, options: readonly string[]): void {
  const args = ["install", ...options, "--ignore-scripts"];
  try {
    runPnpm(folder, [...args, "--offline"], { CI: "1" });
  } catch {
    // This machine lacks a package that only the previous release needs.
    runPnpm(folder, args, { CI: "1" });
  }
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
