import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publishedPackages } from "../../../../scripts/published-packages.ts";
import type { ReleasedRegistry } from "../../../../test/released.ts";

/** Packages that applications install beside ours, and `@types/emscripten` for the declarations of PGlite. */
const OTHERS = [
  ...["zod@4", "redis@6", "ioredis@6", "pg@8", "@electric-sql/pglite@0.5", "gpt-tokenizer@4", "vitest@4"],
  ...["@types/node@20", "@types/pg@8", "@types/emscripten@1"],
];

export interface Project {
  readonly folder: string;
  /** The specifiers of all public entries that load outside of a vitest run. */
  readonly entries: readonly string[];
  readonly remove: () => Promise<void>;
}

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const support = fileURLToPath(new URL("..", import.meta.url));

const options = {
  target: "ES2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  noEmit: true,
};

const CONFIGURATIONS = {
  nodenext: {
    compilerOptions: {
      ...options,
      ...{ module: "NodeNext", moduleResolution: "NodeNext", lib: ["ES2023"], types: ["node"] },
    },
    files: ["entries.mts", "entries.cts", "consumers/main.ts"],
  },
  // With everything that the declarations of PGlite need.
  bundler: {
    compilerOptions: {
      ...options,
      ...{ module: "ESNext", moduleResolution: "Bundler" },
      ...{ lib: ["ES2023", "DOM", "DOM.Iterable"], types: ["node", "emscripten"] },
    },
    files: ["entries.mts", "with-pglite.mts", "consumers/main.ts"],
  },
};

export type Resolution = keyof typeof CONFIGURATIONS;
export const RESOLUTIONS = Object.keys(CONFIGURATIONS) as Resolution[];

const imports = (specifiers: readonly string[], statement: (name: string, from: string) => string) =>
  [
    ...specifiers.map((specifier, index) => statement(`entry${index}`, JSON.stringify(specifier))),
    `export const entries = [${specifiers.map((_, index) => `entry${index}`).join(", ")}];\n`,
  ].join("\n");

const asModule = (name: string, from: string) => `import * as ${name} from ${from};`;
const asCommonJs = (name: string, from: string) => `import ${name} = require(${from});`;

/** A folder for an application, with one configuration of the compiler for each name. */
async function createFolder(configurations: Readonly<Record<string, object>>) {
  const folder = await mkdtemp(join(tmpdir(), "jaf-consumer-"));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("package.json", JSON.stringify({ private: true, type: "module" }));
  for (const [name, configuration] of Object.entries(configurations))
    await write(`tsconfig.${name}.json`, JSON.stringify(configuration));
  const copy = async (name: string) => {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await cp(join(support, name), join(folder, name));
  };
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  return { folder, write, copy, remove };
}

const install = (folder: string, { environment }: ReleasedRegistry, packages: readonly string[]) =>
  promisify(execFile)("npm", ["install", "--ignore-scripts", ...packages], { cwd: folder, env: environment });

/** An application in a temporary folder with all our packages from the registry, installed by npm. */
export async function createProject(registry: ReleasedRegistry): Promise<Project> {
  const specifiers = publishedPackages(root).flatMap(({ entries }) =>
    entries.map((entry) => entry.specifier),
  );
  const withoutPglite = specifiers.filter((specifier) => !specifier.endsWith("/pglite"));
  const libraries = registry.packages.filter(({ name }) => name.startsWith("@jaf/"));
  const { folder, write, copy, remove } = await createFolder(CONFIGURATIONS);
  await write("entries.mts", imports(withoutPglite, asModule));
  await write("entries.cts", imports(withoutPglite, asCommonJs));
  await write("with-pglite.mts", imports(specifiers, asModule));
  for (const name of ["consumers/main.ts", "consumers/program.ts", "edge/program.ts"]) await copy(name);
  await install(folder, registry, [...libraries.map(({ name, version }) => `${name}@${version}`), ...OTHERS]);
  return {
    folder,
    entries: specifiers.filter((specifier) => !/^@jaf\/(user-)?memory\/testing$/.test(specifier)),
    remove,
  };
}

const ALONE = ["@jaf/memory", "@jaf/user-memory", "@jaf/ai-sdk", "ai@6", "zod@4", "@types/node@20"];

/** An application that remembers by our packages, and hasn't installed the engine. */
export async function createProjectAlone(registry: ReleasedRegistry): Promise<Omit<Project, "entries">> {
  const compilerOptions = CONFIGURATIONS.nodenext.compilerOptions;
  const files = ["consumers/memory-alone.ts"];
  const { folder, copy, remove } = await createFolder({ alone: { compilerOptions, files } });
  for (const name of files) await copy(name);
  await install(folder, registry, ALONE);
  return { folder, remove };
}
