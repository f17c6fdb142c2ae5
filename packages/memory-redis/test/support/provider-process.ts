/** Serves providers to the conformance kit, on one shared connection. */
import { serveProviders } from "@jaf/memory/testing";
import { createClient } from "redis";
import { createRedisProvider } from "../../src/index.ts";

export interface StorageAddress {
  readonly url: string;
  readonly keyPrefix: string;
}

const connect = (url: string) => createClient({ url }).connect();

let connection: ReturnType<typeof connect> | undefined;

serveProviders(async ({ url, keyPrefix }: StorageAddress) => {
  connection ??= connect(url);
  return createRedisProvider({ keyPrefix }, await connection);
});
