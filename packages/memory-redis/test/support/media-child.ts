import { createClient } from "redis";
import { loadUntilKilled } from "../../../../test/media/crash-load.ts";
import { createRedisBlobStore, createRedisProvider } from "../../src/index.ts";

const [url = "", keyPrefix = ""] = process.argv.slice(2);
const client = await createClient({ url }).connect();
await loadUntilKilled(
  await createRedisProvider({ keyPrefix }, client),
  await createRedisBlobStore({ keyPrefix }, client),
);
