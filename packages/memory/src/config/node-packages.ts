import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf } from "../runtime/process.ts";

/**
 * Imports a package of the application; returns `undefined` if it isn't installed. With isolated dependencies this
 * package only sees its own, so the name is resolved from the main script. A process may start in any folder, e.g. one
 * for downloads, so the working folder only counts if its own package.json declares the package.
 */
export const importPackage: ((name: string) => Promise<unknown>) | undefined = async (name) => {
  const script = mainScript();
  const file = (script && resolveFrom(script, name)) ?? resolveFromWorkingFolder(name);
  return file && import(/* @vite-ignore */ /* webpackIgnore: true */ pathToFileURL(file).href);
};

/** In `node --eval code argument`, an argument stands in place of the main script, and may come from anywhere. */
const isEvaluated = (): boolean =>
  process.execArgv.some((option) => /^(-[a-z]*[ep][a-z]*|--eval|--print)(=|$)/.test(option));

function mainScript(): string | undefined {
  const script = process.argv[1];
  if (script === undefined || !isAbsolute(script) || isEvaluated()) return undefined;
  try {
    return realpathSync(script); // Commands are often links into their package.
  } catch {
    return undefined;
  }
}

/** Includes development dependencies, for scripts and tests that run in their own project's folder. */
const DEPENDENCIES = ["dependencies", "optionalDependencies", "devDependencies", "peerDependencies"] as const;

function resolveFromWorkingFolder(name: string): string | undefined {
  let manifest: string;
  let content: unknown;
  try {
    manifest = join(process.cwd(), "package.json"); // Throws if the folder was removed.
    content = readJson(manifest);
  } catch {
    return undefined;
  }
  const isDeclared = DEPENDENCIES.some((field) => typeof fieldOf(fieldOf(content, field), name) === "string");
  return isDeclared ? resolveFrom(manifest, name) : undefined;
}

/** Resolves a package name to a file, as a module at the absolute path `base` would. Runs no code of the package. */
function resolveFrom(base: string, name: string): string | undefined {
  const require = createRequire(base);
  try {
    return require.resolve(name);
  } catch (thrown) {
    return codeOf(thrown) === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? importEntry(require, name) : undefined;
  }
}

/** Finds the entry of a package that can only be imported. Node only resolves those for its own modules. */
function importEntry(require: NodeJS.Require, name: string): string | undefined {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const entry = target(fieldOf(readJson(join(folder, name, "package.json")), "exports"));
      return entry && join(folder, name, entry);
    } catch {
      // Not in this folder: try the parent.
    }
  }
  return undefined;
}

function target(exports: unknown): string | undefined {
  if (exports === undefined || typeof exports === "string") return exports;
  return [".", "node", "import", "default"].map((key) => target(fieldOf(exports, key))).find(Boolean);
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
