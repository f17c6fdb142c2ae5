import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { codeOf } from "../platform/import-failure.ts";

const CONDITIONS = new Set(["node", "import", "default"]);

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function target(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (!isObject(exports)) return undefined;
  for (const [condition, value] of Object.entries(exports)) {
    const found = CONDITIONS.has(condition) ? target(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function readEntry(folder: string): string | undefined {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const exports = isObject(manifest) ? manifest["exports"] : undefined;
  const entry = target(isObject(exports) && "." in exports ? exports["."] : exports);
  return entry === undefined ? undefined : join(folder, entry);
}

/** A package without an entry for `require`: Node resolves the other kind of entry only for its own modules. */
function importEntry(require: NodeJS.Require, name: string): string | undefined {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return readEntry(join(folder, name));
    } catch {
      // Not in this folder: the next one up.
    }
  }
  return undefined;
}

/** The file that a package's name stands for in a module at `base`, an absolute path; `undefined` if there is none. */
export function findPackageEntry(name: string, base: string): string | undefined {
  const require = createRequire(base);
  try {
    return require.resolve(name);
  } catch (thrown) {
    return codeOf(thrown) === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? importEntry(require, name) : undefined;
  }
}
