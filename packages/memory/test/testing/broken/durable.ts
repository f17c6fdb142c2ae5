import {
  createFailure,
  createMemoryConnectionError,
  createSuccess,
  type VersionedMemoryProvider,
} from "../../../src/index.ts";
import type { TestStore } from "../../../src/testing/index.ts";
import { openIntact } from "./broken.ts";

/** The part of a broken store between the process and the disk. `life` counts the crashes. */
export type Process = (disk: VersionedMemoryProvider, life: number) => Partial<VersionedMemoryProvider>;

const lost = () =>
  createFailure(createMemoryConnectionError("durable", "the process died", { operation: "close" }));

/**
 * A store that survives its process: the disk is an in-memory provider, and after a crash all its earlier users fail. A
 * write takes a turn of the event loop, as in most real stores, so a crash finds some in progress. A `synchronous`
 * write takes none, like a database in the process.
 */
export async function openDurable(
  process: Process = () => ({}),
  { synchronous = false }: { readonly synchronous?: boolean } = {},
): Promise<TestStore> {
  const disk = openIntact();
  let life = 0;

  function boot(): VersionedMemoryProvider {
    const born = life;
    const alive = <M extends keyof VersionedMemoryProvider>(method: M) =>
      (async (...given: readonly unknown[]) => {
        const dead = () => createFailure({ ...lost().error, operation: method });
        if (!synchronous && method.endsWith("Messages")) await new Promise(setImmediate);
        if (born !== life) return dead();
        const done: unknown = await Reflect.apply(disk[method], disk, given);
        return born === life ? done : dead();
      }) as unknown as VersionedMemoryProvider[M];
    const reach: VersionedMemoryProvider = {
      storeMessages: alive("storeMessages"),
      getConversation: alive("getConversation"),
      appendMessages: alive("appendMessages"),
      findConversations: alive("findConversations"),
      getRecentMessages: alive("getRecentMessages"),
      deleteConversation: alive("deleteConversation"),
      clearUserConversations: alive("clearUserConversations"),
      readConversation: alive("readConversation"),
      exportConversation: alive("exportConversation"),
      importConversation: alive("importConversation"),
      verifyConversation: alive("verifyConversation"),
      getStats: alive("getStats"),
      healthCheck: alive("healthCheck"),
      close: async () => createSuccess(undefined),
    };
    return { ...reach, ...process(reach, born) };
  }

  const crash = async () => {
    life += 1;
    return boot();
  };
  return {
    provider: boot(),
    connect: async () => boot(),
    crash,
    dispose: async () => void (await disk.close()),
  };
}
