import { pathToFileURL } from "node:url";
import type { ProviderProcess, TestStore } from "@jaf/memory/testing";
import { inject } from "vitest";
import { startCutProxy } from "../../../../test/cut-proxy.ts";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { createRedisProvider, type RedisConfig, type RedisProvider } from "../../src/index.ts";
import { type Opened, openThrough } from "./clients.ts";
import type { StorageAddress } from "./provider-process.ts";
import { tamperUnder } from "./tamper.ts";

/** A prefix that no other test has. */
export const freshPrefix = (): string => `test:${crypto.randomUUID()}:`;

const processModule = pathToFileURL(await bundleProcess(new URL("./provider-process.ts", import.meta.url)));

/** A provider under the same prefix in another process, which reaches the server by itself. */
const processAt = (keyPrefix: string): ProviderProcess => {
  const argument: StorageAddress = { url: inject("redisUrl"), keyPrefix };
  return { module: processModule, argument };
};

/** A store that is reached through a proxy, which `stop` takes away. */
export async function createStoppableStore(): Promise<TestStore> {
  const proxy = await startCutProxy(Number(new URL(inject("redisUrl")).port), () => false);
  const keyPrefix = freshPrefix();
  const open = async () => {
    const connection = await openThrough(proxy.port);
    return { ...connection, end: async () => connection.cut() };
  };
  const store = await createStore(open, { keyPrefix });
  const dispose = async () => {
    await store.dispose();
    await proxy.stop();
  };
  const tamper = tamperUnder(keyPrefix);
  return { ...store, process: processAt(keyPrefix), stop: proxy.stop, tamper, dispose };
}

/** A store under a prefix of its own; what is left under it goes with the server. */
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
