import type { VersionedMemoryProvider } from "../versioned-provider.ts";
import type { ProcessAnswer, ProcessRequest } from "./provider-process.ts";

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>;

const describe = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);

/**
 * Serves providers to the conformance kit from a process of its own, which ends with the kit's. `open` gets the
 * `argument` of `TestStore.process`, and makes a provider on that storage; what it needs for that, such as a connection,
 * is best opened once for all of them. Throws in a process that the kit didn't fork.
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
