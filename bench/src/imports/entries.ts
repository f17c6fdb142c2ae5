import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const packages = new URL("../../../packages/", import.meta.url);

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<
    Record<string, { readonly import: { readonly node?: string; readonly default: string } }>
  >;
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
        file: new URL(conditions.import.node ?? conditions.import.default, folder),
        folder,
      }));
    })
    .filter(({ name }) => !isKit(name));

/** A package or a module of Node's that an entry's files import as they load. */
export interface External {
  readonly name: string;
  /** What Node imports by that name from where it is imported. */
  readonly specifier: string;
}

/** What the files of an entry, and those of the JAF packages that they import, import of anybody else's as they load. */
export async function externalsOf({ file }: Entry): Promise<readonly External[]> {
  const found = new Map<string, External>();
  await build({
    entryPoints: [fileURLToPath(file)],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    // Node loads what `sideEffects` lets a bundler leave out.
    ignoreAnnotations: true,
    logLevel: "error",
    plugins: [
      {
        name: "externals",
        setup: ({ onResolve, resolve }) => {
          // Later, when it is first needed.
          onResolve({ filter: /./ }, ({ path, kind }) =>
            kind === "dynamic-import" ? { path, external: true } : undefined,
          );
          // What begins with # is a file of the package that imports it.
          onResolve({ filter: /^[^./#]/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
            if (pluginData === RESOLVING || kind === "entry-point" || path.startsWith("@jaf/"))
              return undefined;
            const resolved = await resolve(path, { kind, resolveDir, importer, pluginData: RESOLVING });
            const isOfNode = resolved.external || resolved.errors.length > 0;
            const specifier = isOfNode ? path : pathToFileURL(resolved.path).href;
            if (kind === "import-statement") found.set(path, { name: path, specifier });
            return { path, external: true };
          });
        },
      },
    ],
  });
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** So that the resolver isn't asked by itself. */
const RESOLVING = "resolving";

/** A module that imports nothing else. */
export function writeLimit({ name, folder }: Entry, externals: readonly External[]): URL {
  const cache = new URL("node_modules/.cache/imports/", folder);
  mkdirSync(cache, { recursive: true });
  const file = new URL(`${name.replaceAll("/", "-")}.mjs`, cache);
  writeFileSync(file, externals.map(({ specifier }) => `import ${JSON.stringify(specifier)};\n`).join(""));
  return file;
}
