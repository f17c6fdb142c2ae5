/** The published packages, their entries, and a compiler program of their sources. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export interface Entry {
  /** The import specifier, e.g. `@jaf/memory/adapter`. */
  readonly specifier: string;
  /** The package's folder. */
  readonly folder: string;
  /** The key in the package's exports, e.g. `./adapter`. */
  readonly path: string;
  readonly source: string;
}

export interface PublishedPackage {
  readonly folder: string;
  readonly entries: readonly Entry[];
  /** The sources in the manifest's field `imports`. The imports in the sources don't necessarily reach them. */
  readonly imported: readonly string[];
}

/** Every source in a field of a manifest, at any depth of conditions. */
const sourcesIn = (field: unknown): readonly string[] => {
  if (typeof field === "string") return field.endsWith(".ts") && !field.endsWith(".d.ts") ? [field] : [];
  return Object.values(field ?? {}).flatMap(sourcesIn);
};

export function publishedPackages(root: string): readonly PublishedPackage[] {
  return readdirSync(join(root, "packages"))
    .sort()
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .flatMap((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (manifest.private === true) return [];
      // A package that creates projects has a program and no entries.
      const exports = Object.entries<{ readonly "@jaf/source": string }>(manifest.exports ?? {});
      const entries = exports.map(([path, conditions]) => ({
        specifier: manifest.name + path.slice(1),
        folder,
        path,
        source: join(folder, conditions["@jaf/source"]),
      }));
      return [{ folder, entries, imported: sourcesIn(manifest.imports).map((path) => join(folder, path)) }];
    });
}

export function compileSources(
  root: string,
  sources: readonly string[],
  more: ts.CompilerOptions = {},
): ts.Program {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root);
  return ts.createProgram(sources, { ...options, ...more });
}
