/**
 * How to get a provider on the storage of a store in another process of the operating system. The kit forks `module` once
 * for a harness, and asks it for a provider as often as a rule needs one.
 *
 * ```ts
 * // provider-process.ts, next to the harness
 * import { serveProviders } from "@jaf/memory/testing";
 *
 * serveProviders(async (prefix: string) => createMyProvider({ prefix }));
 *
 * // the harness
 * createStore: async () => {
 *   const prefix = crypto.randomUUID();
 *   const process = { module: new URL("./provider-process.ts", import.meta.url), argument: prefix };
 *   return { provider: await createMyProvider({ prefix }), process, … };
 * }
 * ```
 */
export interface ProviderProcess {
  /** The file that calls `serveProviders`. */
  readonly module: URL;
  /** What the function that is handed to `serveProviders` gets: anything that `structuredClone` copies. */
  readonly argument?: unknown;
  /** Options of Node.js for the process, such as the one for a loader of TypeScript. Default: none. */
  readonly execArgv?: readonly string[];
  /** The working folder of the process. Default: that of the tests. */
  readonly cwd?: string;
}

/** What the kit sends. Providers are told apart by the number that opening one gave. */
export type ProcessRequest =
  | { readonly id: number; readonly argument: unknown }
  | {
      readonly id: number;
      readonly provider: number;
      readonly method: string;
      readonly given: readonly unknown[];
    };

/** What the process answers. */
export type ProcessAnswer =
  | { readonly id: number; readonly result: unknown }
  /** What it threw, as text. */
  | { readonly id: number; readonly thrown: string };
