import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const packages = new URL("../../../packages/", import.meta.url);

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly import: { readonly default: string } }>>;
}

/** What an application may import of a package. */
export interface Entry {
  /** As in an import. */
  readonly name: string;
  readonly file: URL;
  /** The package's folder. */
  readonly folder: URL;
}

/** A conformance kit imports vitest, which can be imported in its own run only. */
const isKit = (name: string): boolean => /^@jaf\/(memory|user-memory)\/testing$/.test(name);

/** Every published entry, as it was built, in the order of their names. */
export const entriesOf = (): readonly Entry[] =>
  readdirSync(packages)
    .flatMap((name): Entry[] => {
      const folder = new URL(`${name}/`, packages);
      const manifest = JSON.parse(readFileSync(new URL("package.json", folder), "utf8")) as Manifest;
      return Object.entries(manifest.exports).map(([path, conditions]) => ({
        name: manifest.name + path.slice(1),
        file: new URL(conditions.import.default, folder),
        folder,
      }));
    })
    .filter(({ name }) => !isKit(name));

/** What the files of an entry, and those of the JAF packages that they import, import of anybody else's as they load. */
export async function externalsOf({ file }: Entry): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(file)],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    // Node loads what `sideEffects` lets a bundler leave out.
    ignoreAnnotations: true,
    logLevel: "error",
    plugins: [
      {
        name: "externals",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === "entry-point" || path.startsWith("@jaf/") ? undefined : { path, external: true },
          ),
      },
    ],
  });
  const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  const external = imports.filter(({ external, kind }) => external === true && kind === "import-statement");
  return [...new Set(external.map(({ path }) => path))].sort();
}

/** A module that imports nothing else, from where the package itself would. */
export function writeLimit({ name, folder }: Entry, externals: readonly string[]): URL {
  const cache = new URL("node_modules/.cache/imports/", folder);
  mkdirSync(cache, { recursive: true });
  const file = new URL(`${name.replaceAll("/", "-")}.mjs`, cache);
  writeFileSync(file, externals.map((external) => `import ${JSON.stringify(external)};\n`).join(""));
  return file;
}
