import type { ZodType } from "zod";
import type { InMemoryConfig } from "../in-memory/config.ts";
import type { InMemoryProvider } from "../in-memory/provider.ts";
import type { MemoryProvider } from "../provider.ts";

/**
 * One environment variable of an adapter, which fills one field of its configuration.
 */
export interface AdapterVariable {
  /** The field of the configuration, e.g. `"port"`. */
  readonly field: string;
  /**
   * What its text stands for. `"number"`: a decimal number. `"boolean"`: `true`, `false`, `1`, `0`, `yes`, `no`, `on`
   * or `off`, in any case. Default `"text"`.
   */
  readonly format?: "text" | "number" | "boolean";
  /** Never shown, in no report and no error. */
  readonly secret?: boolean;
  /** `validateMemoryEnvironment` warns when it isn't set and isn't needed, since its default is used. */
  readonly recommended?: boolean;
  /** The variable that stands in for this one, e.g. `"JAF_FILE_URL"`: with it, this one is neither needed nor used. */
  readonly replacedBy?: string;
}

/**
 * What a backend's package exports as `adapter`. `createMemoryProvider({ type })` and `JAF_MEMORY_TYPE` find it by the
 * name of the package, `@jaf/memory-<type>` or `jaf-memory-<type>`: from here, from the main script, and from the working
 * folder if its own package.json declares it. `registerMemoryAdapter` adds one of any other name.
 */
export interface MemoryAdapter<Config extends object = object, Client = unknown> {
  /** A lower-case letter, then up to 49 lower-case letters, digits and hyphens. */
  readonly type: string;
  /**
   * Checks a configuration, its field `type` included. Its output is what `create` gets, so that defaults live here
   * and nowhere else. Its messages hold no value; those for a field of a secret variable are not shown at all.
   */
  readonly configSchema: ZodType<Config>;
  /** By name, e.g. `JAF_FILE_FOLDER`. */
  readonly environment: Readonly<Record<string, AdapterVariable>>;
  /**
   * Opens the provider. A client that is handed in stays the caller's; without one the provider opens its own and
   * closes it with `close()`. Rejects with a `MemorySetupError`, or with a `TypeError` for a client that is none. Of
   * anything else that it throws, the factories tell the name and the code.
   */
  readonly create: (config: Config, client?: Client) => MemoryProvider | Promise<MemoryProvider>;
}

/**
 * What adapters tell the compiler, by type; each adds its own line:
 *
 * ```ts
 * declare module "@jaf/memory" {
 *   interface MemoryAdapterTypes {
 *     file: { readonly config: FileConfig; readonly client: never; readonly provider: MemoryProvider };
 *   }
 * }
 * ```
 */
export interface MemoryAdapterTypes {
  memory: { readonly config: InMemoryConfig; readonly client: never; readonly provider: InMemoryProvider };
}
