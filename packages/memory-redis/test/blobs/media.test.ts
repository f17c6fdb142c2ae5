import { describe } from "vitest";
import { declareMediaRules } from "../../../../test/media/media-rules.ts";
import { createRedisBlobStore, createRedisProvider } from "../../src/index.ts";
import { openers } from "../support/clients.ts";
import { freshPrefix } from "../support/stores.ts";

describe.each(["node-redis", "ioredis", "node-redis cluster"] as const)("media on %s", (name) => {
  declareMediaRules(async () => {
    const keyPrefix = freshPrefix();
    const { client, end } = await openers[name]();
    const store = await createRedisProvider({ keyPrefix }, client);
    return { store, blobs: await createRedisBlobStore({ keyPrefix }, client), dispose: end };
  });
});
