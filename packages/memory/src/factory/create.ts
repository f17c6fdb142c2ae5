import { ADAPTER_TYPE, ADAPTER_TYPE_RULE } from "../adapter/adapter-schema.ts";
import { parseConfig } from "../adapter/configuration.ts";
import { findAdapter } from "../adapter/lookup.ts";
import { optionsError } from "../codec/option-checks.ts";
import { openProvider } from "./open.ts";
import type {
  MemoryClient,
  MemoryClients,
  MemoryProviderConfig,
  MemoryProviderOf,
  MemorySettings,
} from "./types.ts";

interface Request {
  readonly operation: string;
  readonly config: unknown;
  readonly clients: Readonly<Record<string, unknown>> | null;
}

function typeOf(config: unknown): string {
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw new TypeError("Invalid memory configuration: expected an object with a type.");
  }
  const type: unknown = Reflect.get(config, "type");
  if (typeof type === "string" && ADAPTER_TYPE.test(type)) return type;
  throw new TypeError(`Invalid memory configuration: type: expected ${ADAPTER_TYPE_RULE}.`);
}

async function create({ operation, config, clients }: Request) {
  const type = typeOf(config);
  const adapter = await findAdapter({ type, operation });
  const setup = { adapter, operation };
  const parsed = await parseConfig(setup, config);
  if (!parsed.ok) throw optionsError(`${type} provider configuration`, parsed.issues);
  return openProvider(setup, parsed.config, clients);
}

/**
 * Opens a provider by its type: `"memory"` is built in; any other is the adapter that was registered under it, or
 * that the package `@jaf/memory-<type>` or `jaf-memory-<type>` exports. A client in `clients` under this type is
 * used and never closed; without one the provider opens its own, and `close()` closes it.
 *
 * Rejects with a `TypeError` for an invalid configuration, naming the fields, and with a `MemorySetupError` when the
 * adapter is not installed or its store can't be set up.
 */
export async function createMemoryProvider<const Type extends string>(
  config: MemoryProviderConfig<Type>,
  clients: MemoryClients = {},
): Promise<MemoryProviderOf<Type>> {
  const provider = await create({ operation: "createMemoryProvider", config, clients });
  return provider as MemoryProviderOf<Type>;
}

/** Opens a provider by its type, with defaults for what `config` leaves out. Rejects as {@link createMemoryProvider}. */
export async function createSimpleMemoryProvider<const Type extends string>(
  type: Type,
  client?: MemoryClient<Type>,
  config: MemorySettings<Type> = {} as MemorySettings<Type>,
): Promise<MemoryProviderOf<Type>> {
  const provider = await create({
    operation: "createSimpleMemoryProvider",
    config: { ...config, type },
    clients: { [type]: client },
  });
  return provider as MemoryProviderOf<Type>;
}
