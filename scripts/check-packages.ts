/**
 * Packs every publishable package as it would be published, has publint and are-the-types-wrong look at it, checks what they
 * don't (`package-faults.ts`), and loads what was built. Expects `pnpm build` to have run.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { checkSetupErrors, checkSharedExports } from "./entry-identity.ts";
import { type PackedManifest, type Project, packageFaults } from "./package-faults.ts";

const root = new URL("..", import.meta.url).pathname;

interface Manifest extends PackedManifest {
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, unknown>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const packages = readdirSync(join(root, "packages"))
  .map((folder) => join(root, "packages", folder))
  .filter((folder) => existsSync(join(folder, "package.json")))
  .map((folder) => ({
    folder,
    manifest: readManifest(folder),
  }))
  .filter(({ manifest }) => manifest.private !== true);

/** Prints what the checker printed only if it found something. */
function checkTarball(checker: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(join(root, "node_modules/.bin", checker), args, {
    encoding: "utf8",
  });
  if (status === 0) return;
  console.error(stdout + stderr);
  throw new Error(`${checker} ${args.join(" ")} failed.`);
}

const project: Project = {
  root,
  repository: (readManifest(root).repository?.url ?? "").replace(/^git\+|\.git$/g, ""),
  versions: new Map(packages.map(({ manifest }) => [manifest.name, manifest.version])),
};

function checkContents(tarball: string, directory: string): void {
  const unpacked = tarball.replace(/\.tgz$/, "");
  mkdirSync(unpacked);
  execFileSync("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"]);
  const faults = packageFaults({ folder: unpacked, manifest: readManifest(unpacked), directory }, project);
  if (faults.length > 0) throw new Error(`${directory} can't be published so:\n${faults.join("\n")}`);
}

// In the documentation, because that is where every package of the workspace can be imported from.
const docs = join(root, "docs");

/** A conformance kit can be imported in a vitest run only. */
const isKit = (name: string, entry: string): boolean =>
  entry === "./testing" && ["@jaf/memory", "@jaf/user-memory"].includes(name);

/** Loads every entry of a built package as an application does, by import and by require; each alone, and together. */
function load({ name, exports }: Manifest): void {
  const entries = Object.keys(exports)
    .filter((entry) => !isKit(name, entry))
    .map((entry) => name + entry.slice(1));
  for (const entry of entries) {
    const specifier = JSON.stringify(entry);
    for (const code of [`await import(${specifier})`, `require(${specifier})`]) {
      const type = code.startsWith("require") ? "commonjs" : "module";
      execFileSync(process.execPath, [`--input-type=${type}`, "--eval", code], { cwd: docs });
    }
  }
  checkSharedExports({ cwd: docs, entries });
}

const out = mkdtempSync(join(tmpdir(), "jaf-packages-"));
try {
  for (const { folder, manifest } of packages) {
    const tarball = join(out, `${manifest.name.replace("/", "-")}.tgz`);
    // pnpm resolves catalog:, workspace: and publishConfig; `npm pack` would not.
    execFileSync("pnpm", ["pack", "--out", tarball], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    checkContents(tarball, relative(root, folder));
    checkTarball("publint", [tarball, "--strict"]);
    // "node16": the packages are for Node, where every resolution since 16 reads `exports`.
    checkTarball("attw", [tarball, "--profile", "node16", "--format", "ascii"]);
    load(manifest);
  }
  checkSetupErrors(docs);
  console.log(`${packages.length} packages are fit to publish.`);
} finally {
  rmSync(out, { recursive: true, force: true });
}
