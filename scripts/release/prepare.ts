/** `release prepare`: makes of the pending changesets a new version of all packages and a section of CHANGELOG.md. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addSection, readChangelog, writeSection } from "./changelog.ts";
import { ReleaseError } from "./failure.ts";
import { commonVersion } from "./packages.ts";
import { type PendingRelease, pendingRelease } from "./pending.ts";
import { requireCleanTree } from "./programs.ts";

export interface PrepareOptions {
  /** Whether a changeset may turn a version before 1.0.0 into 1.0.0. */
  readonly allowMajor: boolean;
  /** The date of the release, e.g. `2026-12-01`. */
  readonly date: string;
}

/**
 * Before 1.0.0, semantic versioning lets a minor release break things, so a major changeset is mostly a mistake. Changesets
 * also makes a major release if the range of a peer dependency doesn't hold the new version of that package.
 */
function refuseAccidentalMajor(version: string, { changes, major }: PendingRelease): void {
  if (major === undefined || !version.startsWith("0.")) return;
  const change = changes.find(({ type }) => type === "major");
  const cause =
    change === undefined
      ? `A peer dependency on a package of ours doesn't hold its next version, so ${major} would become`
      : `The changeset ${change.file} says major, so the packages would become`;
  throw new ReleaseError(
    `${cause} 1.0.0 after ${version}. Before 1.0.0, a change that breaks something is minor. If you mean 1.0.0, pass ` +
      "--allow-major.",
  );
}

/** The examples that aren't in the workspace depend on released packages. */
function raiseExamples(root: string, version: string): void {
  const folder = join(root, "examples");
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name, "package.json");
    if (!existsSync(file)) continue;
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/("@jaf\/[^"]+": "\^)[^"]+"/g, `$1${version}"`));
  }
}

/** Returns the new version. */
export async function prepare(root: string, { allowMajor, date }: PrepareOptions): Promise<string> {
  requireCleanTree(root);
  const before = commonVersion(root);
  const pending = await pendingRelease(root);
  const { changes } = pending;
  if (changes.length === 0)
    throw new ReleaseError("No changeset waits for a release, so there is nothing to prepare.");
  if (!allowMajor) refuseAccidentalMajor(before, pending);
  execFileSync(process.execPath, [join(root, "node_modules/@changesets/cli/bin.js"), "version"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const version = commonVersion(root);
  raiseExamples(root, version);
  const section = writeSection(version, date, changes);
  writeFileSync(join(root, "CHANGELOG.md"), addSection(readChangelog(root), section));
  return version;
}
