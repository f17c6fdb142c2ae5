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

/** A backend type: one that the compiler knows, or any other string. */
export type MemoryType = Known | (string & {});

type FieldsOf<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly config: infer Config }
    ? Config
    : never
  : { readonly [field: string]: unknown };

/** The configuration of a backend: its `type`, and the fields that the backend's adapter declares. */
export type MemoryProviderConfig<Type extends string = string> = FieldsOf<Type> & { readonly type: Type };

/** The configuration of a backend without its `type`. */
export type MemorySettings<Type extends string> = Type extends Known
  ? Omit<FieldsOf<Type>, "type">
  : { readonly [field: string]: unknown };

/**
 * The TypeScript type of the client that a backend's provider can use (e.g. a Redis client). It is `never` if the
 * backend takes no client.
 */
export type MemoryClient<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly client: infer Client }
    ? Client
    : never
  : unknown;

/** Open clients by backend type. Only the client of the configured type is used. */
export type MemoryClients = { readonly [Type in Known]?: MemoryClient<Type> | undefined } & {
  readonly [type: string]: unknown;
};

/**
 * The TypeScript type of the provider that a factory returns. If the compiler knows the backend type, it is the
 * provider type that the adapter declares. Otherwise it is `MemoryProvider`.
 */
export type MemoryProviderOf<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly provider: infer Provider }
    ? Provider
    : MemoryProvider
  : MemoryProvider;

/**
 * Opens a provider by its backend type. The type `"memory"` is built in. Any other type needs a registered adapter, or
 * an installed package `@jaf/memory-<type>` or `jaf-memory-<type>`. If `clients` contains a client under this type, the
 * provider uses this client and never closes it. Otherwise the provider opens its own client, and `close()` closes it.
 *
 * Rejects with a `TypeError` that names the invalid fields if the configuration is invalid. Rejects with a
 * `MemorySetupError` if the adapter is not installed or its store can't be set up.
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
 * Opens a provider by its backend type. `config` contains the other fields of the backend's configuration, and
 * overrides their defaults. Rejects with the same errors as {@link createMemoryProvider}.
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

/**
 * Opens the provider of an adapter. `config` must be the output of the adapter's schema. Rejects with a
 * `MemorySetupError` if the adapter's `create` throws.
 */
export async function openProvider(
  setup: Setup,
  config: object,
  clients: Readonly<Record<string, unknown>> | null,
): Promise<MemoryProvider> {
  const { adapter, operation } = setup;
  // Only own properties count, because a type may be the name of an inherited property.
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
 * Converts an error that the adapter's `create` threw into the error that the factory (e.g. `createMemoryProvider`)
 * throws. Only keeps the message of a `MemorySetupError` and of a `TypeError` without a code.
 */
function setupFailure(setup: Setup, thrown: unknown): unknown {
  // A `TypeError` without a code means that the client is invalid. One with a code comes from Node, and its message may
  // contain a value of the configuration (e.g. a password). A `MemorySetupError` from another installed copy of this
  // package isn't recognised by `instanceof`, so it is converted.
  if (thrown instanceof MemorySetupError) return thrown;
  if (thrown instanceof TypeError && !("code" in thrown)) return thrown;
  const foreign = thrown instanceof Error && thrown.name === "MemorySetupError" && "error" in thrown;
  if (foreign) return new MemorySetupError(thrown.error as MemoryErrorUnion);
  return adapterFailure(setup, "opened its provider", thrown);
}
