/** The programs that a release runs: git and pnpm. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ReleaseError } from "./failure.ts";

/** Runs git and returns what it prints. Throws if git fails. */
export const git = (root: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** Returns the commit that a name stands for, or `undefined` if there is none. */
export function commitOf(root: string, name: string): string | undefined {
  const args = ["rev-parse", "--quiet", "--verify", `${name}^{commit}`];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

export function requireCleanTree(root: string): void {
  const changed = git(root, "status", "--porcelain");
  if (changed === "") return;
  const [first = "", ...more] = changed.split("\n");
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  throw new ReleaseError(
    `There are changes that aren't committed (${first.trim()}${others}). Commit or discard them first.`,
  );
}

/** Refuses a commit that isn't on main of the remote. Before the first push, the remote has no main. */
export function requirePushed(root: string): void {
  const main = "refs/remotes/origin/main";
  if (commitOf(root, main) === undefined) return;
  const { status } = spawnSync("git", ["merge-base", "--is-ancestor", "HEAD", main], { cwd: root });
  if (status === 0) return;
  throw new ReleaseError(
    "This commit isn't on origin/main, so others couldn't find what is published. Merge and push it first, or run " +
      "`git fetch origin` if it is there.",
  );
}

function pnpmCommand(root: string, args: readonly string[]): readonly string[] {
  const { devEngines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return ["--yes", `pnpm@${devEngines.packageManager.version}`, ...args];
}

/** Runs the repository's version of pnpm, which may ask for a one-time password, and returns whether it succeeded. */
export const runPnpm = (root: string, ...args: readonly string[]): boolean =>
  spawnSync("npx", pnpmCommand(root, args), { cwd: root, stdio: "inherit" }).status === 0;

/** Runs the repository's version of pnpm and returns what it prints. */
export function askPnpm(root: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("npx", pnpmCommand(root, args), {
    cwd: root,
    encoding: "utf8",
  });
  return { succeeded: status === 0, stdout: stdout.trim(), stderr };
}
