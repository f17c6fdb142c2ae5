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

/** The URLs of the registries. A request that our own passes on takes seconds if a package has hundreds of versions. */
export interface Registries {
  readonly ours: string;
  readonly others: string;
}

type Install = (registries: Registries) => Promise<PackageManager>;

/** The settings of npm, which pnpm and bun read, too. */
const npmrc = ({ ours, others }: Registries) => ({ ".npmrc": `registry=${others}\n@jaf:registry=${ours}\n` });

const NODE = [process.execPath];

const npm = (registries: Registries) => ({
  add: "install",
  update: (names: readonly string[]) => ["install", ...names.map((name) => `${name}@latest`)],
  node: NODE,
  settings: npmrc(registries),
});

// In their projects, the others don't wait until a release is a day old.

/** pnpm asks about each install script. BullMQ has one in a dependency that it doesn't need: its README says so. */
const PNPM_SETTINGS =
  'minimumReleaseAge: 0\nallowBuilds:\n  msgpackr-extract: false\n  "@photostructure/sqlite": false\n';

const pnpm: Install = async (registries) => ({
  name: "pnpm",
  program: [join(await installTool("pnpm", "12.21.0"), ".bin/pnpm")],
  add: "add",
  update: (names) => ["update", "--latest", ...names],
  node: NODE,
  settings: { ...npmrc(registries), "pnpm-workspace.yaml": PNPM_SETTINGS },
});

const yarn =
  (linker: "node-modules" | "pnp"): Install =>
  async ({ ours, others }) => {
    const program = [
      process.execPath,
      join(await installTool("@yarnpkg/cli-dist", "4.18.1"), "@yarnpkg/cli-dist/bin/yarn.js"),
    ];
    const settings = {
      nodeLinker: linker,
      npmRegistryServer: others,
      npmScopes: { jaf: { npmRegistryServer: ours, npmMinimalAgeGate: 0 } },
      unsafeHttpWhitelist: [ours, others].map((url) => new URL(url).hostname),
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

const bun: Install = async (registries) => {
  const binaries = join(await installTool("bun", "1.4.5"), "@oven");
  // The package for this machine is the only one that npm installed.
  const [platform = ""] = await readdir(binaries);
  return {
    name: "bun",
    program: [join(binaries, platform, "bin/bun")],
    add: "add",
    update: (names) => ["update", "--latest", ...names],
    node: NODE,
    settings: npmrc(registries),
  };
};

export const PACKAGE_MANAGERS = {
  /** The machine's. */
  npm: async (registries) => ({ ...npm(registries), name: "npm", program: ["npm"] }),
  // Comes with Node 20 and 22.
  "npm 10": async (registries) => ({
    ...npm(registries),
    name: "npm 10",
    program: [process.execPath, join(await installTool("npm", "10.9.9"), "npm/bin/npm-cli.js")],
  }),
  pnpm,
  "yarn with node_modules": yarn("node-modules"),
  "yarn with Plug'n'Play": yarn("pnp"),
  bun,
} satisfies Readonly<Record<string, Install>>;
