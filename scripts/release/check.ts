/**
 * A step of `pnpm check`: the newest section of CHANGELOG.md is about the packages' version, and a change of a package has a
 * changeset. It compares with the branch main.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { requireSection } from "./changelog.ts";
import { ReleaseError } from "./failure.ts";
import { commonVersion } from "./packages.ts";
import { commitOf, git } from "./programs.ts";

const root = new URL("../..", import.meta.url).pathname;

/** Returns a name of main. A workflow that checks out another branch has it only as a branch of the remote. */
function nameOfMain(): string {
  const found = ["main", "origin/main"].find((name) => commitOf(root, name) !== undefined);
  if (found !== undefined) return found;
  throw new ReleaseError(
    "There is no branch main to compare with. Fetch it first: `git fetch origin main:main`.",
  );
}

/** Returns the version that the packages had where this branch left main. */
function versionOnMain(main: string): string {
  const base = git(root, "merge-base", main, "HEAD");
  return JSON.parse(git(root, "show", `${base}:packages/memory/package.json`)).version;
}

try {
  const version = commonVersion(root);
  requireSection(root, version);
  const main = nameOfMain();
  // The commit of a release changes every package and deletes the changesets.
  if (versionOnMain(main) === version) {
    const program = join(root, "node_modules/@changesets/cli/bin.js");
    const { status } = spawnSync(process.execPath, [program, "status", "--since", main], {
      cwd: root,
      stdio: "inherit",
    });
    process.exitCode = status ?? 1;
  }
} catch (thrown) {
  console.error(thrown instanceof ReleaseError ? thrown.message : thrown);
  process.exitCode = 1;
}
