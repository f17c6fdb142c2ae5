import { importPackage } from "#packages";
import { createMemoryStorageError, describeCause, MemorySetupError } from "../contract/errors.ts";
import { createInMemoryProvider, inMemoryConfigSchema } from "../in-memory/provider.ts";
import { isUnresolved } from "../runtime/process.ts";
import { type MemoryAdapter, parseAdapter } from "./adapter.ts";

export const inMemoryAdapter: MemoryAdapter = {
  type: "memory",
  configSchema: inMemoryConfigSchema,
  environment: {
    JAF_MEMORY_MAX_CONVERSATIONS: { field: "maxConversations", format: "number" },
    JAF_MEMORY_MAX_MESSAGES: { field: "maxMessagesPerConversation", format: "number" },
  },
  create: (config) => createInMemoryProvider(config),
};

interface Registration {
  readonly adapter: MemoryAdapter;
  /** The number of registrations of this adapter that were not undone yet. */
  count: number;
}

const registered = new Map<string, Registration>([
  [inMemoryAdapter.type, { adapter: inMemoryAdapter, count: 1 }],
]);

/**
 * Registers a backend's adapter under its type, for `createMemoryProvider` and `JAF_MEMORY_TYPE`. Registration is
 * required if the adapter's package has another name than `@jaf/memory-<type>` or `jaf-memory-<type>`. Registration is
 * also required in bundled applications, because packages can't be found by name in a bundle. A registered adapter
 * takes precedence over an installed package.
 *
 * Returns a function that undoes this registration. An adapter that was registered several times stays until all its
 * registrations are undone. Throws a `TypeError` if the adapter is invalid, or if a different adapter is registered
 * under the type.
 *
 * @example
 * ```ts
 * import { createMemoryProvider, registerMemoryAdapter } from "@jaf/memory";
 * import { adapter } from "@jaf/memory-postgres";
 *
 * registerMemoryAdapter(adapter);
 * export const provider = await createMemoryProvider({
 *   type: "postgres",
 *   connectionString: "postgres://localhost:5432/jaf",
 * });
 * ```
 */
export function registerMemoryAdapter<Config extends object, Client>(
  adapter: MemoryAdapter<Config, Client>,
): () => void {
  const parsed = parseAdapter(adapter);
  const { type } = parsed;
  const known = registered.get(type);
  if (known !== undefined && known.adapter !== parsed) {
    throw new TypeError(`Another memory adapter is registered for "${type}". Unregister it first.`);
  }
  const registration = known ?? { adapter: parsed, count: 0 };
  registration.count += 1;
  registered.set(type, registration);
  let undone = false;
  return () => {
    if (undone) return;
    undone = true;
    registration.count -= 1;
    if (registration.count === 0) registered.delete(type);
  };
}

export interface AdapterRequest {
  /** The type of the adapter, in the form of `ADAPTER_TYPE`. It becomes part of a package name. */
  readonly type: string;
  /** The name of the factory that errors show (e.g. `createMemoryProvider`). */
  readonly operation: string;
}

/**
 * Returns the adapter of a type: the registered adapter, otherwise the adapter of an installed package. Rejects with a
 * `MemorySetupError` if there is none.
 */
export async function findAdapter(request: AdapterRequest): Promise<MemoryAdapter> {
  const { type } = request;
  const known = registered.get(type)?.adapter;
  if (known !== undefined) return known;
  const [own, other] = [`@jaf/memory-${type}`, `jaf-memory-${type}`] as const;
  if (importPackage === undefined) {
    const reason = `no adapter of type "${type}" is registered, and adapters can't be found by name without Node's modules. Call registerMemoryAdapter with the adapter from ${own}, or open a provider and pass it. Without an adapter, use type "memory".`;
    throw setupError(request, reason);
  }
  for (const name of [own, other]) {
    const module = await importPackage(name).catch((thrown: unknown) => {
      throw loadError(request, name, thrown);
    });
    if (module !== undefined) return checkAdapter(request, name, module);
  }
  const reason = `no adapter of type "${type}" is installed. Run "npm install ${own}" (or install ${other}, if others publish it) in the application's folder, or call registerMemoryAdapter. A package in the working folder is used only if the package.json there declares it. Without an adapter, use type "memory".`;
  throw setupError(request, reason);
}

const setupError = ({ operation, type }: AdapterRequest, reason: string, cause?: unknown) =>
  new MemorySetupError(createMemoryStorageError(operation, reason, { provider: type, cause }));

function loadError(request: AdapterRequest, name: string, thrown: unknown): MemorySetupError {
  const cause = describeCause(thrown);
  // Only messages of Node's errors are shown. The message of an error from the package's own code may quote its
  // configuration.
  const detail = isUnresolved(thrown)
    ? cause.message
    : `${cause.name}${cause.code === undefined ? "" : `, ${cause.code}`}`;
  const reason = `the package ${name} is installed but fails to load (${detail}). Install missing packages, or import it alone to see the error.`;
  return setupError(request, reason, isUnresolved(thrown) ? thrown : undefined);
}

function checkAdapter(request: AdapterRequest, name: string, module: unknown): MemoryAdapter {
  try {
    const adapter = parseAdapter(exportedAdapter(module));
    if (adapter.type === request.type) return adapter;
  } catch (thrown) {
    const reason = `the package ${name} has no valid export "adapter": ${describeCause(thrown).message}`;
    throw setupError(request, reason, thrown);
  }
  throw setupError(request, `the "adapter" export of ${name} has another type.`);
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

// A CommonJS module may have its exports only in its default export.
const exportedAdapter = (module: unknown): unknown =>
  field(module, "adapter") ?? field(field(module, "default"), "adapter");
