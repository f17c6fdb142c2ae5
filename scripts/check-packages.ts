/**
 * Packs every publishable package as it would be published, checks it with publint and are-the-types-wrong, checks the
 * ranges of our own packages, and loads the build as ESM and CommonJS. Run `pnpm build` first.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackages } from "./pack.ts";

const root = new URL("..", import.meta.url).pathname;

type Ranges = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bin?: unknown;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Ranges;
  readonly peerDependencies?: Ranges;
}

const packages = readdirSync(join(root, "packages"))
  .map((name) => join(root, "packages", name, "package.json"))
  .filter((file) => existsSync(file))
  .map((file): Manifest => JSON.parse(readFileSync(file, "utf8")))
  .filter((manifest) => manifest.private !== true);
const versions = new Map(packages.map(({ name, version }) => [name, version]));

/** Prints the checker's output only if it found something. */
function checkTarball(checker: string, args: readonly string[]): void {
  const program = join(root, "node_modules/.bin", checker);
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return;
  console.error(stdout + stderr);
  throw new Error(`${checker} ${args.join(" ")} failed.`);
}

/** A package without errors, types or registries that are passed between packages. */
const MAY_BE_TWICE = "@jaf/model-http";

/**
 * If two packages need different releases, a dependency is installed twice, and an error of one isn't an instance of the
 * other's class. With a peer dependency, the installation fails instead.
 */
function checkRanges(tarball: string): void {
  const packed = execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" });
  const { name, bin, dependencies = {}, peerDependencies = {} }: Manifest = JSON.parse(packed);
  const ours = (ranges: Ranges) => Object.entries(ranges).filter(([other]) => versions.has(other));
  // A program is installed alone, e.g. by npx, with all that it needs.
  for (const [other] of ours(dependencies))
    if (other !== MAY_BE_TWICE && bin === undefined)
      throw new Error(`${name}: expected ${other} to be a peer`);
  for (const [other, range] of [...ours(dependencies), ...ours(peerDependencies)]) {
    // It is there in the release of the packages that depend on it, which need the right peers (.pnpmfile.cjs).
    const expected = name === MAY_BE_TWICE ? "*" : `^${versions.get(other)}`;
    if (range !== expected) throw new Error(`${name}: expected ${other} in ${expected}, found ${range}`);
  }
}

/** Runs the program as an application in both module systems. It has `load(specifier)`, and throws to fail. */
function runInBoth(program: string): void {
  for (const [type, loader] of Object.entries({ module: "import", commonjs: "require" })) {
    const code = `const load = async (specifier) => ${loader}(specifier);\n(async () => {\n${program}\n})();`;
    execFileSync(process.execPath, [`--input-type=${type}`, "--eval", code], {
      cwd: join(root, "docs"), // Every package of the workspace can be loaded from there.
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
}

/** A conformance kit can only be imported in a vitest run. */
const isKit = (name: string, entry: string): boolean =>
  entry === "./testing" && ["@jaf/memory", "@jaf/user-memory"].includes(name);

/** Conversations and user memory have separate schemas, each with functions of these names. */
const BY_SCHEMA = ["migrate", "printMigrations"];

/** Loads every entry, separately and together. A name that two of them export must be the same value. */
function checkEntries({ name, exports = {} }: Manifest): void {
  const entries = Object.keys(exports)
    .filter((entry) => !isKit(name, entry))
    .map((entry) => name + entry.slice(1));
  for (const entry of entries) runInBoth(`await load(${JSON.stringify(entry)});`);
  runInBoth(`
    const seen = new Map();
    for (const entry of ${JSON.stringify(entries)}) {
      for (const [name, value] of Object.entries(await load(entry))) {
        if (["default", "module.exports"].includes(name)) continue;
        if (entry.endsWith("/user-memory") && ${JSON.stringify(BY_SCHEMA)}.includes(name)) continue;
        const first = seen.get(name) ?? { entry, value };
        seen.set(name, first);
        if (first.value !== value) throw new Error(name + " of " + first.entry + " is another in " + entry);
      }
    }`);
}

/** An adapter without a server must reject with the `MemorySetupError` of `@jaf/memory`, so the class exists once. */
function checkSharedClass(): void {
  runInBoth(`
    const { MemorySetupError } = await load("@jaf/memory");
    const { createRedisProvider } = await load("@jaf/memory-redis");
    // Nothing listens on port 1.
    const config = { type: "redis", host: "127.0.0.1", port: 1 };
    const thrown = await createRedisProvider(config).then(() => undefined, (error) => error);
    if (!(thrown instanceof MemorySetupError)) throw new Error("createRedisProvider rejected with " + thrown);`);
}

const out = mkdtempSync(join(tmpdir(), "jaf-packages-"));
try {
  const manifestOf = new Map(packages.map((manifest) => [manifest.name, manifest]));
  for (const { name, tarball } of await packPackages(root, out)) {
    checkRanges(tarball);
    checkTarball("publint", [tarball, "--strict"]);
    const manifest = manifestOf.get(name);
    if (manifest?.exports === undefined) continue; // A program, which isn't imported.
    // "node16": the packages are for Node, which reads `exports` since 16.
    checkTarball("attw", [tarball, "--profile", "node16", "--format", "ascii"]);
    checkEntries(manifest);
  }
  checkSharedClass();
  console.log(`${packages.length} packages are fit to publish.`);
} finally {
  rmSync(out, { recursive: true, force: true });
}
