import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const repository = fileURLToPath(new URL("..", import.meta.url));

type Files = Readonly<Record<string, string>>;

export interface ScratchRepository {
  readonly root: string;
  readonly git: (...args: readonly string[]) => string;
  readonly write: (files: Files) => void;
  /** Writes the files and commits everything. */
  readonly commit: (files: Files) => void;
}

const GUARDS = {
  prepack: "node ../../scripts/release/guard.mjs pack",
  prepublishOnly: "node ../../scripts/release/guard.mjs publish",
};

const manifestOf = (name: string, more: object = {}): string =>
  JSON.stringify({
    name,
    version: "0.1.0",
    files: ["dist"],
    exports: "./dist/index.js",
    scripts: GUARDS,
    ...more,
  });

/** A small git repository with two packages, `@jaf/a` and `@jaf/b`, and the release scripts of this one. The test deletes it. */
export function scratchRepository(): ScratchRepository {
  const root = mkdtempSync(join(tmpdir(), "jaf-scratch-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const write = (files: Files): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  };
  const commit = (files: Files): void => {
    write(files);
    git("add", "--all");
    git(
      ...["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgSign=false"],
      ...["commit", "--quiet", "--message", "A change"],
    );
  };
  const changesets = JSON.parse(readFileSync(join(repository, ".changeset/config.json"), "utf8"));
  git("init", "--quiet", "--initial-branch=main");
  for (const path of ["package.json", "scripts/release/guard.mjs"])
    cpSync(join(repository, path), join(root, path));
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  commit({
    ".gitignore": "node_modules\n",
    "pnpm-workspace.yaml": "packages: [packages/*]\n",
    ".changeset/config.json": JSON.stringify({ ...changesets, fixed: [["@jaf/*"]], ignore: [] }),
    "CHANGELOG.md": "# Changelog\n\n## 0.1.0\n\nThe first release.\n",
    "packages/a/package.json": manifestOf("@jaf/a"),
    "packages/b/package.json": manifestOf("@jaf/b", {
      peerDependencies: { "@jaf/a": "workspace:>=0.0.0 <1" },
    }),
  });
  return { root, git, write, commit };
}
