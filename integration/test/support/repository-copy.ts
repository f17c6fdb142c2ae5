import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

const isVariableOfPackageManagers = (name: string): boolean => /^(npm|pnpm)_/i.test(name);

/** Runs the pnpm of a repository and returns what it prints. Throws if it fails. */
export function runPnpm(root: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
  const inherited = Object.entries(process.env).filter(([name]) => !isVariableOfPackageManagers(name));
  return execFileSync("npx", ["--yes", "pnpm@12.21.0", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...Object.fromEntries(inherited), TURBO_TELEMETRY_DISABLED: "1", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 26,
  });
}

export interface RepositoryCopy {
  readonly root: string;
  readonly git: (...args: readonly string[]) => string;
  /** Commits all changes. */
  readonly commit: () => void;
  /** Runs the repository's pnpm and returns what it prints. Throws if it fails. */
  readonly pnpm: (args: readonly string[], environment?: NodeJS.ProcessEnv) => string;
  readonly remove: () => void;
}

/** Copies this repository as it is, without what git ignores and without its history, and installs its packages there. */
export function copyRepository(): RepositoryCopy {
  const root = mkdtempSync(join(tmpdir(), "jaf-repository-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
  });
  for (const file of listed.split("\0"))
    if (file !== "" && existsSync(join(repository, file))) cpSync(join(repository, file), join(root, file));
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const commit = (): void => {
    git("add", "--all");
    git(
      ...["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgSign=false"],
      ...["commit", "--quiet", "--message", "A change"],
    );
  };
  const pnpm: RepositoryCopy["pnpm"] = (args, environment) => runPnpm(root, args, environment);
  git("init", "--quiet", "--initial-branch=main");
  commit();
  pnpm(["install", "--prefer-offline", "--frozen-lockfile"]);
  return { root, git, commit, pnpm, remove: () => rmSync(root, { recursive: true, force: true }) };
}
