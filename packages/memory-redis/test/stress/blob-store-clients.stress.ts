import { describeBlobStoreOn } from "../support/blob-store.ts";

for (const name of [
  "node-redis, RESP2",
  "node-redis pool",
  "node-redis cluster",
  "ioredis",
  "ioredis cluster",
] as const)
  describeBlobStoreOn(name);
