import { optionsError } from "../codec/checks.ts";
import { createMemoryStorageError, type MemoryErrorUnion, MemorySetupError } from "../contract/errors.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import {
  ADAPTER_TYPE,
  ADAPTER_TYPE_RULE,
  adapterFailure,
  type MemoryAdapterTypes,
  parseConfig,
  type Setup,
} from "./adapter.ts";
import { findAdapter } from "./discovery.ts";

type Known = keyof MemoryAdapterTypes & string;

/** The backend types that the compiler knows, and any other string. */
export type MemoryType = Known | (string & {});

type FieldsOf<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly config: infer Config }
    ? Config
    : never
  : { readonly [field: string]: unknown };

/** The configuration of a backend: its `type` and its adapter's fields. */
export type MemoryProviderConfig<Type extends string = string> = FieldsOf<Type> & { readonly type: Type };

/** The configuration without its `type`. */
export type MemorySettings<Type extends string> = Type extends Known
  ? Omit<FieldsOf<Type>, "type">
  : { readonly [field: string]: unknown };

/** The client that a backend's provider can use, e.g. a Redis client; `never` if it takes none. */
export type MemoryClient<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly client: infer Client }
    ? Client
    : never
  : unknown;

/** Connected clients by backend type. Only the client of the configured type is used. */
export type MemoryClients = { readonly [Type in Known]?: MemoryClient<Type> | undefined } & {
  readonly [type: string]: unknown;
};

/** The provider type of a factory: the adapter's own if the compiler knows it. */
export type MemoryProviderOf<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly provider: infer Provider }
    ? Provider
    : MemoryProvider
  : MemoryProvider;

/**
 * Opens a provider by its type. `"memory"` is built in; other types need a registered adapter, or an installed package
 * `@jaf/memory-<type>` or `jaf-memory-<type>`. A client in `clients` under this type is used and never closed. Without
 * one the provider opens its own, and `close()` closes it.
 *
 * Rejects with a `TypeError` that names the fields if the configuration is invalid, and with a `MemorySetupError` if
 * the adapter is not installed or its store can't be set up.
 *
 * @example
 * ```ts
 * import { createMemoryProvider } from "@jaf/memory";
 *
 * const provider = await createMemoryProvider({
 *   type: "postgres",
 *   connectionString: "postgres://localhost:5432/jaf",
 * });
 * const loaded = await provider.getConversation("conv-123");
 * if (loaded.success) console.log(loaded.data?.messages);
 * ```
 */
export async function createMemoryProvider<const Type extends string>(
  config: MemoryProviderConfig<Type>,
  clients: MemoryClients = {},
): Promise<MemoryProviderOf<Type>> {
  const provider = await create({ operation: "createMemoryProvider", config, clients });
  return provider as MemoryProviderOf<Type>;
}

/**
 * Opens a provider by its type. `config` is optional and overrides the defaults. Rejects as
 * {@link createMemoryProvider}.
 *
 * @example
 * ```ts
 * import { createSimpleMemoryProvider } from "@jaf/memory";
 *
 * const provider = await createSimpleMemoryProvider("memory", undefined, { maxConversations: 10_000 });
 * console.log(await provider.getStats());
 * ```
 */
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

interface Request {
  readonly operation: string;
  readonly config: unknown;
  readonly clients: Readonly<Record<string, unknown>> | null;
}

async function create({ operation, config, clients }: Request) {
  const type = typeOf(config);
  const adapter = await findAdapter({ type, operation });
  const setup = { adapter, operation };
  const parsed = await parseConfig(setup, config);
  if (!parsed.ok) throw optionsError(`${type} provider configuration`, parsed.issues);
  return openProvider(setup, parsed.config, clients);
}

function typeOf(config: unknown): string {
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw new TypeError("Invalid memory configuration: expected an object with a type.");
  }
  const type: unknown = Reflect.get(config, "type");
  if (typeof type === "string" && ADAPTER_TYPE.test(type)) return type;
  throw new TypeError(`Invalid memory configuration: type: expected ${ADAPTER_TYPE_RULE}.`);
}

/** `config` has passed the adapter's schema. Rejects with a `MemorySetupError` if `create` throws. */
export async function openProvider(
  setup: Setup,
  config: object,
  clients: Readonly<Record<string, unknown>> | null,
): Promise<MemoryProvider> {
  const { adapter, operation } = setup;
  // Own properties only: a type can be the name of an inherited property.
  const client = clients !== null && Object.hasOwn(clients, adapter.type) ? clients[adapter.type] : undefined;
  let provider: unknown;
  try {
    provider = await (client == null ? adapter.create(config) : adapter.create(config, client));
  } catch (thrown) {
    throw setupFailure(setup, thrown);
  }
  if (typeof provider === "object" && provider !== null) return provider as MemoryProvider;
  const reason = `the adapter of type "${adapter.type}" returned no provider, but ${provider === null ? "null" : typeof provider}.`;
  throw new MemorySetupError(createMemoryStorageError(operation, reason, { provider: adapter.type }));
}

/**
 * Translates a rejection of the adapter. The adapter may use another copy of this package with other error classes. A
 * `TypeError` means an invalid client; one with a code comes from Node, and may contain the value.
 */
function setupFailure(setup: Setup, thrown: unknown): unknown {
  if (thrown instanceof MemorySetupError) return thrown;
  if (thrown instanceof TypeError && !("code" in thrown)) return thrown;
  const foreign = thrown instanceof Error && thrown.name === "MemorySetupError" && "error" in thrown;
  if (foreign) return new MemorySetupError(thrown.error as MemoryErrorUnion);
  return adapterFailure(setup, "opened its provider", thrown);
}
