import { pathToFileURL } from "node:url";
import type { ProviderProcess, TestStore } from "@jaf/memory/testing";
import { inject } from "vitest";
import { type CutProxy, startCutProxy } from "../../../../test/cut-proxy.ts";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { createRedisProvider, type RedisConfig, type RedisProvider } from "../../src/index.ts";
import { type Opened, openThrough } from "./clients.ts";
import type { StorageAddress } from "./provider-process.ts";
import { tamperUnder } from "./tamper.ts";

/** Returns a unique prefix. */
export const freshPrefix = (): string => `test:${crypto.randomUUID()}:`;

const processModule = pathToFileURL(await bundleProcess(new URL("./provider-process.ts", import.meta.url)));

/** A provider with the same prefix in another process, with its own connection. */
const processAt = (keyPrefix: string): ProviderProcess => {
  const argument: StorageAddress = { url: inject("redisUrl"), keyPrefix };
  return { module: processModule, argument };
};

interface ProxiedConnections {
  readonly proxy: CutProxy;
  readonly opened: Opened[];
}

/**
 * Creates stores behind a proxy that `stop` removes. Connecting takes longer than most tests, so a store's connections
 * are reused after its test. `processes`: with a second process, for the rules that need one.
 */
export function createStoppableStores({ processes = false }: { readonly processes?: boolean } = {}) {
  const idle: ProxiedConnections[] = [];
  const all: ProxiedConnections[] = [];

  async function openProxy(): Promise<ProxiedConnections> {
    const proxy = await startCutProxy(Number(new URL(inject("redisUrl")).port), () => false);
    const proxied = { proxy, opened: [] };
    all.push(proxied);
    return proxied;
  }

  async function createStoppable(): Promise<TestStore> {
    const proxied = idle.pop() ?? (await openProxy());
    const { proxy, opened } = proxied;
    const keyPrefix = freshPrefix();
    let used = 0;
    let isStopped = false;
    const connect = async (): Promise<RedisProvider> => {
      const index = used++; // Taken synchronously, since several may be opened at the same time.
      const connection = opened[index] ?? (await openThrough(proxy.port));
      opened[index] = connection;
      return createRedisProvider({ keyPrefix }, connection.client);
    };
    const crash = () => {
      for (const { cut } of opened.splice(0)) cut();
      used = 0;
      return connect();
    };
    const stop = async () => {
      isStopped = true;
      await proxy.stop();
    };
    const dispose = async () => {
      if (!isStopped) idle.push(proxied);
    };
    const tamper = tamperUnder(keyPrefix);
    const store = { provider: await connect(), connect, crash, stop, tamper, dispose };
    return processes ? { ...store, process: processAt(keyPrefix) } : store;
  }

  const tearDown = async () => {
    for (const { cut } of all.flatMap(({ opened }) => opened)) cut();
    await Promise.all(all.map(({ proxy }) => proxy.stop()));
  };
  return { createStore: createStoppable, tearDown };
}

/** Creates a store with its own prefix. Its leftovers are removed with the server. */
export async function createStore(
  open: () => Promise<Opened>,
  config: RedisConfig = {},
  createProvider: typeof createRedisProvider = createRedisProvider,
): Promise<TestStore> {
  const keyPrefix = freshPrefix();
  const opened: Opened[] = [];
  const connect = async (): Promise<RedisProvider> => {
    const connection = await open();
    opened.push(connection);
    return createProvider({ keyPrefix, ...config }, connection.client);
  };
  const crash = () => {
    for (const { cut } of opened.splice(0)) cut();
    return connect();
  };
  const dispose = async () => {
    await Promise.all(opened.map(({ end }) => end()));
  };
  return { provider: await connect(), connect, crash, dispose };
}
