import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { installTool } from "../../../../test/tools.ts";

/** A package manager, with the commands that its users type. */
export interface PackageManager {
  readonly name: string;
  /** The program with its first arguments. */
  readonly program: readonly string[];
  /** Adds packages to a project, before their names. */
  readonly add: string;
  /** Updates our packages beyond the range in the project's manifest. */
  readonly update: (names: readonly string[]) => readonly string[];
  /** Runs a file of the project, before its name. */
  readonly node: readonly string[];
  /** The settings of a project, by file name. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A registry's URL. */
type Install = (registry: string) => Promise<PackageManager>;

const NODE = [process.execPath];

const npm = {
  add: "install",
  update: (names: readonly string[]) => ["install", ...names.map((name) => `${name}@latest`)],
  node: NODE,
  settings: {},
};

// In their projects, the others don't wait until a release is a day old.

const pnpm: Install = async () => ({
  name: "pnpm",
  program: [join(await installTool("pnpm", "12.21.0"), ".bin/pnpm")],
  add: "add",
  update: (names) => ["update", "--latest", ...names],
  node: NODE,
  settings: { "pnpm-workspace.yaml": "minimumReleaseAge: 0" },
});

const yarn =
  (linker: "node-modules" | "pnp"): Install =>
  async (registry) => {
    const program = [
      process.execPath,
      join(await installTool("@yarnpkg/cli-dist", "4.18.1"), "@yarnpkg/cli-dist/bin/yarn.js"),
    ];
    const settings = {
      nodeLinker: linker,
      npmRegistryServer: registry,
      unsafeHttpWhitelist: [new URL(registry).hostname],
      npmMinimalAgeGate: 0,
      enableTelemetry: false,
    };
    return {
      name: `yarn with ${linker}`,
      program,
      add: "add",
      update: (names) => ["up", ...names],
      node: linker === "pnp" ? [...program, "node"] : NODE,
      settings: { ".yarnrc.yml": JSON.stringify(settings) },
    };
  };

const bun: Install = async () => {
  const binaries = join(await installTool("bun", "1.4.5"), "@oven");
  // The package for this machine is the only one that npm installed.
  const [platform = ""] = await readdir(binaries);
  return {
    name: "bun",
    program: [join(binaries, platform, "bin/bun")],
    add: "add",
    update: (names) => ["update", "--latest", ...names],
    node: NODE,
    settings: {},
  };
};

export const PACKAGE_MANAGERS = {
  /** The machine's. */
  npm: async () => ({ ...npm, name: "npm", program: ["npm"] }),
  // Comes with Node 20 and 22.
  "npm 10": async () => ({
    ...npm,
    name: "npm 10",
    program: [process.execPath, join(await installTool("npm", "10.9.9"), "npm/bin/npm-cli.js")],
  }),
  pnpm,
  "yarn with node_modules": yarn("node-modules"),
  "yarn with Plug'n'Play": yarn("pnp"),
  bun,
} satisfies Readonly<Record<string, Install>>;
