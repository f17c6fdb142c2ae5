import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";

/**
 * Describes how to open a provider on a store's storage in another process of the operating system. The kit starts
 * `module` once for each harness. When a rule needs a provider in another process, the kit asks the started process to
 * open one. If `module` is in TypeScript, it is loaded with vitest and the configuration of the tests.
 *
 * @example
 * ```ts
 * import type { ProviderProcess } from "@jaf/memory/testing";
 *
 * export const processFor = (prefix: string): ProviderProcess => ({
 *   module: new URL("./provider-process.ts", import.meta.url),
 *   argument: prefix,
 * });
 * ```
 */
export interface ProviderProcess {
  /** The file that calls `serveProviders`, in JavaScript or TypeScript. */
  readonly module: URL;
  /**
   * The argument of the function that `module` passes to `serveProviders`. Any value that `structuredClone` supports.
   */
  readonly argument?: unknown;
  /** The Node.js options of the process (e.g. `--conditions`). Default: none. */
  readonly execArgv?: readonly string[];
  /** The working folder of the process. Default: the working folder of the tests. */
  readonly cwd?: string;
}

/**
 * A request from the kit to the other process: to open a provider, or to call a method of an open one. `provider` is
 * the number that the other process returned when it opened the provider.
 */
export type ProcessRequest =
  | { readonly id: number; readonly argument: unknown }
  | {
      readonly id: number;
      readonly provider: number;
      readonly method: string;
      readonly given: readonly unknown[];
    };

/** The answer of the other process to a request with the same `id`. */
export type ProcessAnswer =
  | { readonly id: number; readonly result: unknown }
  /** The error that the call threw, as text. */
  | { readonly id: number; readonly thrown: string };

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>;

const describe = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);

/**
 * Serves providers to the conformance kit from another process. `open` gets the `argument` of `TestStore.process`, and
 * returns a provider on the storage that `argument` names. If providers share a resource (e.g. a connection), `open`
 * should create the resource only once. This process ends when the process of the kit ends. Throws if the kit didn't
 * start this process.
 *
 * @example
 * ```ts
 * import type { VersionedMemoryProvider } from "@jaf/memory";
 * import { serveProviders } from "@jaf/memory/testing";
 *
 * declare function createMyProvider(options: { prefix: string }): Promise<VersionedMemoryProvider>;
 *
 * serveProviders((prefix: string) => createMyProvider({ prefix }));
 * ```
 */
export function serveProviders<T>(open: (argument: T) => Promise<VersionedMemoryProvider>): void {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error("serveProviders is for a process that the conformance kit forks");
  const providers: VersionedMemoryProvider[] = [];

  async function answer(request: ProcessRequest): Promise<unknown> {
    if ("argument" in request) return providers.push(await open(request.argument as T)) - 1;
    const provider = providers[request.provider];
    if (provider === undefined) throw new Error(`no provider ${request.provider}`);
    const method: AnyMethod = Reflect.get(provider, request.method);
    return Reflect.apply(method, provider, request.given);
  }

  process.on("message", (request: ProcessRequest) => {
    const { id } = request;
    answer(request).then(
      (result) => void send({ id, result } satisfies ProcessAnswer),
      (thrown: unknown) => void send({ id, thrown: describe(thrown) } satisfies ProcessAnswer),
    );
  });
  process.on("disconnect", () => process.exit());
}
