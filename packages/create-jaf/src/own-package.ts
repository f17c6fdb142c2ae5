/** What this package carries beside its code. The paths are the same from `src` and from `dist`. */
import { readFileSync } from "node:fs";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(read("package.json"));

export const ownVersion = manifest.version;

/**
 * The versions that projects depend on. They are this package's development dependencies, since packing replaces
 * `workspace:` and `catalog:` by the versions that the repository is tested with.
 */
export const testedVersions = manifest.devDependencies;

/** The text of a file in the folder `templates`. */
export const template = (path: string): string => read(`templates/${path}`);
