import { packages } from "#packages";
import { createMemoryStorageError, describeCause } from "../errors.ts";
import { MemorySetupError } from "../setup-error.ts";
import type { MemoryAdapter } from "./adapter.ts";
import { parseAdapter } from "./adapter-schema.ts";
import type { Lookup, Packages } from "./packages.ts";
import { registeredAdapter } from "./registry.ts";

export interface AdapterRequest {
  /** Checked against `ADAPTER_TYPE`: it becomes part of the name of a package. */
  readonly type: string;
  /** The factory, for errors. */
  readonly operation: string;
}

const packageNames = (type: string) => [`@jaf/memory-${type}`, `jaf-memory-${type}`] as const;

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

// The exports of a CommonJS module may be its default export alone.
const exportedAdapter = (module: unknown): unknown =>
  field(module, "adapter") ?? field(field(module, "default"), "adapter");

const setupError = ({ operation, type }: AdapterRequest, reason: string, cause?: unknown) =>
  new MemorySetupError(createMemoryStorageError(operation, reason, { provider: type, cause }));

function checkAdapter(request: AdapterRequest, name: string, module: unknown): MemoryAdapter {
  try {
    const adapter = parseAdapter(exportedAdapter(module));
    if (adapter.type === request.type) return adapter;
  } catch (thrown) {
    const reason = `the package ${name} has no valid export "adapter": ${describeCause(thrown).message}`;
    throw setupError(request, reason, thrown);
  }
  throw setupError(request, `the "adapter" that ${name} exports is of another type.`);
}

async function loadPackage(request: AdapterRequest, name: string, packages: Packages): Promise<Lookup> {
  try {
    return await packages.load(name);
  } catch (thrown) {
    const { name: thrownName, code, message } = describeCause(thrown);
    if (packages.isUnresolved(thrown)) {
      const reason = `the package ${name} is installed and fails to load: ${message}. If a package is missing, install it too.`;
      throw setupError(request, reason, thrown);
    }
    // What a package's own code throws may quote its configuration.
    const kind = code === undefined ? thrownName : `${thrownName}, ${code}`;
    const reason = `the package ${name} is installed and throws while it loads (${kind}). Import it by itself to see why.`;
    throw setupError(request, reason);
  }
}

/**
 * The adapter of a type: a registered one, or, where packages can be imported at run time, the one that an installed
 * package exports. Rejects with a `MemorySetupError` that says what to install, or what is wrong with the installed
 * package.
 */
export async function findAdapter(request: AdapterRequest): Promise<MemoryAdapter> {
  const { type } = request;
  const known = registeredAdapter(type);
  if (known !== undefined) return known;
  if (packages === undefined) throw setupError(request, notRegistered(type));
  const ignored: string[] = [];
  for (const name of packageNames(type)) {
    const lookup = await loadPackage(request, name, packages);
    if (lookup.module !== undefined) return checkAdapter(request, name, lookup.module);
    if (lookup.ignored !== undefined) ignored.push(lookup.ignored);
  }
  throw setupError(request, notInstalled(type, ignored));
}

function notInstalled(type: string, ignored: readonly string[]): string {
  const [own, other] = packageNames(type);
  const hint = `Run "npm install ${own}" (or install ${other}, if it is made by others) in the application's folder, or call registerMemoryAdapter`;
  const reasons = ignored.map((reason) => ` ${reason}`).join("");
  return `no adapter of type "${type}" is installed.${reasons} ${hint}. Without either: type "memory".`;
}

const notRegistered = (type: string): string =>
  `no adapter of type "${type}" is registered, and without Node's modules none is found by its name. Call registerMemoryAdapter with the adapter that ${packageNames(type)[0]} exports, or open a provider and pass that. Without either: type "memory".`;
