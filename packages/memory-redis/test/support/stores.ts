import type { MemoryProvider } from "@jaf/memory";
import type { TestStore } from "@jaf/memory/testing";
import { createRedisProvider, type RedisConfig } from "../../src/index.ts";
import type { Opened } from "./clients.ts";

/** A prefix that no other test has. */
export const freshPrefix = (): string => `test:${crypto.randomUUID()}:`;

/** A store under a prefix of its own; what is left under it goes with the server. */
export async function createStore(open: () => Promise<Opened>, config: RedisConfig = {}): Promise<TestStore> {
  const keyPrefix = freshPrefix();
  const opened: Opened[] = [];
  const connect = async (): Promise<MemoryProvider> => {
    const connection = await open();
    opened.push(connection);
    return createRedisProvider({ keyPrefix, ...config }, connection.client);
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
