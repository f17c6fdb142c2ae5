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
   * How its text is parsed. `"number"`: a decimal number. `"boolean"`: `true`, `false`, `1`, `0`, `yes`, `no`, `on`
   * or `off`, in any case. Default `"text"`.
   */
  readonly format?: "text" | "number" | "boolean";
  /** Its value is never shown, neither in a report nor in an error. */
  readonly secret?: boolean;
  /** `validateMemoryEnvironment` warns if it isn't set and its default is used. */
  readonly recommended?: boolean;
  /** A variable that replaces this one, e.g. `"JAF_FILE_URL"`: if that is set, this one is neither needed nor used. */
  readonly replacedBy?: string;
}

/**
 * What a backend's package exports as `adapter`. `createMemoryProvider({ type })` and `JAF_MEMORY_TYPE` find it by the
 * name of the package, `@jaf/memory-<type>` or `jaf-memory-<type>`: from the main script, or from the working folder if its
 * package.json declares it. `registerMemoryAdapter` adds an adapter whose package has another name.
 */
export interface MemoryAdapter<Config extends object = object, Client = unknown> {
  /** A lower-case letter, then up to 49 lower-case letters, digits and hyphens. */
  readonly type: string;
  /**
   * Checks a configuration, its field `type` included. Its output is passed to `create`, so defaults belong here
   * and nowhere else. Its messages must not contain values; those for a field of a secret variable are never shown.
   */
  readonly configSchema: ZodType<Config>;
  /** By name, e.g. `JAF_FILE_FOLDER`. */
  readonly environment: Readonly<Record<string, AdapterVariable>>;
  /**
   * Opens the provider. A client that is passed in is never closed by it; without one the provider opens its
   * own and closes it with `close()`. Rejects with a `MemorySetupError`, or with a `TypeError` for an invalid client.
   * Of any other error, the factories show only the name and the code.
   */
  readonly create: (config: Config, client?: Client) => MemoryProvider | Promise<MemoryProvider>;
}

/**
 * The types of each backend's configuration, client and provider. Each adapter adds its own line:
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
