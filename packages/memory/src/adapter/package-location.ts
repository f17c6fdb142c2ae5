import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join, relative, sep } from "node:path";
import { codeOf } from "../platform/import-failure.ts";

/** Where the application has a package. */
export type PackageLocation =
  | { readonly status: "found"; readonly file: string }
  /** It is in the working folder, which doesn't declare it; `reason` is a sentence. */
  | { readonly status: "ignored"; readonly reason: string }
  | { readonly status: "absent" };

const ABSENT: PackageLocation = { status: "absent" };

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

function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // It was removed.
  }
}

/** Those of development too: a script or a test that runs in its own project's folder uses them. */
const DEPENDENCIES = ["dependencies", "optionalDependencies", "devDependencies", "peerDependencies"] as const;

interface Candidate {
  readonly name: string;
  /** The working folder. */
  readonly folder: string;
  /** What the name stands for there. */
  readonly file: string;
}

/** Whether it is the folder's own code, as where an adapter's tests run, and nothing that was put beside it. */
function isOwnFile({ folder, file }: Candidate): boolean {
  const steps = relative(folder, file).split(sep);
  return steps[0] !== ".." && !isAbsolute(steps.join(sep)) && !steps.includes("node_modules");
}

function isDeclared(manifest: Readonly<Record<string, unknown>> | undefined, candidate: Candidate): boolean {
  if (manifest === undefined) return false;
  const { name } = candidate;
  if (manifest["name"] === name && isOwnFile(candidate)) return true;
  return DEPENDENCIES.some((field) => {
    const list = manifest[field];
    return isObject(list) && Object.hasOwn(list, name) && typeof list[name] === "string";
  });
}

/** `undefined` if there is none that can be read. Throws for one that is no JSON object: Node finds nothing from there. */
function readManifest(folder: string): Readonly<Record<string, unknown>> | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, "package.json"), "utf8");
  } catch {
    return undefined;
  }
  const manifest: unknown = JSON.parse(text);
  if (!isObject(manifest) || Array.isArray(manifest)) throw new SyntaxError("no JSON object");
  return manifest;
}

function locateIn(folder: string, name: string): PackageLocation {
  let manifest: Readonly<Record<string, unknown>> | undefined;
  try {
    manifest = readManifest(folder);
  } catch {
    const reason = `${name} is not looked for in the working folder, whose package.json is no valid JSON object.`;
    return { status: "ignored", reason };
  }
  const file = findPackageEntry(name, join(folder, "package.json"));
  if (file === undefined) return ABSENT;
  if (isDeclared(manifest, { name, folder, file })) return { status: "found", file };
  const fault =
    manifest === undefined
      ? "has no package.json that can be read"
      : "doesn't declare it in its package.json";
  const reason = `${name} is found from the working folder and is not run, since that folder ${fault}.`;
  return { status: "ignored", reason };
}

/**
 * Locates a package that this package can't import itself: with isolated dependencies it sees only its own. The package is
 * found if the main script could import it. A process may be started in any folder, e.g. one for downloads, so the working
 * folder is used only if its own package.json declares the package. Runs no code of the package.
 */
export function locatePackage(name: string): PackageLocation {
  const script = mainScript();
  const ofScript = script === undefined ? undefined : findPackageEntry(name, script);
  if (ofScript !== undefined) return { status: "found", file: ofScript };
  const folder = workingFolder();
  return folder === undefined ? ABSENT : locateIn(folder, name);
}

const CONDITIONS = new Set(["node", "import", "default"]);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
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
function findPackageEntry(name: string, base: string): string | undefined {
  const require = createRequire(base);
  try {
    return require.resolve(name);
  } catch (thrown) {
    return codeOf(thrown) === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? importEntry(require, name) : undefined;
  }
}
