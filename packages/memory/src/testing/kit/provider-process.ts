import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";

/**
 * How to get a provider on the storage of a store in another process of the operating system. The kit forks `module`
 * once for a harness, and asks it for a provider as often as a rule needs one.
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
  /** The file that calls `serveProviders`. */
  readonly module: URL;
  /** The argument of the function passed to `serveProviders`: any value that `structuredClone` supports. */
  readonly argument?: unknown;
  /** Node.js options of the process, e.g. for a TypeScript loader. Default: none. */
  readonly execArgv?: readonly string[];
  /** The working folder of the process. Default: that of the tests. */
  readonly cwd?: string;
}

/** The kit's requests. A provider is identified by the number from its opening. */
export type ProcessRequest =
  | { readonly id: number; readonly argument: unknown }
  | {
      readonly id: number;
      readonly provider: number;
      readonly method: string;
      readonly given: readonly unknown[];
    };

/** The process's answers. */
export type ProcessAnswer =
  | { readonly id: number; readonly result: unknown }
  /** The thrown error as text. */
  | { readonly id: number; readonly thrown: string };

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>;

const describe = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);

/**
 * Serves providers to the conformance kit from a separate process, which ends with the kit's. `open` gets the
 * `argument` of `TestStore.process` and returns a provider on that storage. Open shared resources, such as a
 * connection, once for all providers. Throws in a process that the kit didn't fork.
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
