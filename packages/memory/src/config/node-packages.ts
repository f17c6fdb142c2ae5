import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf } from "../runtime/process.ts";

/**
 * Imports a package that the application has installed; `undefined` if it has none of this name. With isolated dependencies
 * this package sees only its own, so the name is resolved as the main script would. A process may be started in any folder,
 * e.g. one for downloads, so the working folder counts only if its own package.json declares the package.
 */
export const importPackage: ((name: string) => Promise<unknown>) | undefined = async (name) => {
  const script = mainScript();
  const file = (script && resolveFrom(script, name)) ?? resolveFromWorkingFolder(name);
  return file && import(/* @vite-ignore */ /* webpackIgnore: true */ pathToFileURL(file).href);
};

/** `node --eval code argument`: what stands where a main script would is an argument, and may come from anywhere. */
const isEvaluated = (): boolean =>
  process.execArgv.some((option) => /^(-[a-z]*[ep][a-z]*|--eval|--print)(=|$)/.test(option));

function mainScript(): string | undefined {
  const script = process.argv[1];
  if (script === undefined || !isAbsolute(script) || isEvaluated()) return undefined;
  try {
    return realpathSync(script); // A command is often a link into its package.
  } catch {
    return undefined;
  }
}

/** Those of development too: a script or a test that runs in its own project's folder uses them. */
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

/** The file that a package's name stands for in a module at `base`, an absolute path. Runs no code of the package. */
function resolveFrom(base: string, name: string): string | undefined {
  const require = createRequire(base);
  try {
    return require.resolve(name);
  } catch (thrown) {
    return codeOf(thrown) === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? importEntry(require, name) : undefined;
  }
}

/** The entry of a package that can only be imported: Node resolves it for its own modules alone. */
function importEntry(require: NodeJS.Require, name: string): string | undefined {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const entry = target(fieldOf(readJson(join(folder, name, "package.json")), "exports"));
      return entry && join(folder, name, entry);
    } catch {
      // Not in this folder: the next one up.
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
