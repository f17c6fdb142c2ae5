import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf } from "../runtime/process.ts";

/** Imports a package of the application. Returns `undefined` if the package isn't installed. */
export const importPackage: ((name: string) => Promise<unknown>) | undefined = async (name) => {
  // The name is resolved from the main script, because a package manager may let this package only see its own
  // dependencies. The working folder is only searched if its package.json declares the package: a process may be
  // started in any folder (e.g. for downloads), and must not run code from it by accident.
  const script = mainScript();
  const file = (script && resolveFrom(script, name)) ?? resolveFromWorkingFolder(name);
  return file && import(/* @vite-ignore */ /* webpackIgnore: true */ pathToFileURL(file).href);
};

/**
 * Whether the process was started with `node --eval code argument`. If so, `process.argv[1]` is that argument, not the
 * main script.
 */
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

/** The fields of a package.json that declare packages, including those for development. */
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

/**
 * Returns the path of a package's main file, or `undefined` if a module at the path `base` couldn't find the package.
 * Runs no code of the package.
 */
function resolveFrom(base: string, name: string): string | undefined {
  const require = createRequire(base);
  try {
    return require.resolve(name);
  } catch (thrown) {
    return codeOf(thrown) === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? importEntry(require, name) : undefined;
  }
}

/** Returns the main file of a package that can only be imported, not required. */
function importEntry(require: NodeJS.Require, name: string): string | undefined {
  // `import.meta.resolve` only resolves a package for modules in the folder of this file.
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const entry = target(fieldOf(readJson(join(folder, name, "package.json")), "exports"));
      return entry && join(folder, name, entry);
    } catch {
      // The package isn't in this folder: try the parent folder.
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
