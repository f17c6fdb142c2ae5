import type { MemoryAdapterTypes } from "../adapter/adapter.ts";
import type { MemoryProvider } from "../provider.ts";

type Known = keyof MemoryAdapterTypes & string;

/** The types of backend that the compiler knows, and any other. */
export type MemoryType = Known | (string & {});

type FieldsOf<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly config: infer Config }
    ? Config
    : never
  : { readonly [field: string]: unknown };

/** The configuration of a backend: its `type`, and the fields that its adapter takes. */
export type MemoryProviderConfig<Type extends string = string> = FieldsOf<Type> & { readonly type: Type };

/** The configuration without its `type`. */
export type MemorySettings<Type extends string> = Type extends Known
  ? Omit<FieldsOf<Type>, "type">
  : { readonly [field: string]: unknown };

export type MemoryClient<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly client: infer Client }
    ? Client
    : never
  : unknown;

/** Connected clients by type of backend; clients of other types than the configured one are not used. */
export type MemoryClients = { readonly [Type in Known]?: MemoryClient<Type> | undefined } & {
  readonly [type: string]: unknown;
};

/** The provider that a factory returns for a type: the adapter's own type if the compiler knows it. */
export type MemoryProviderOf<Type extends string> = Type extends Known
  ? MemoryAdapterTypes[Type] extends { readonly provider: infer Provider }
    ? Provider
    : MemoryProvider
  : MemoryProvider;
