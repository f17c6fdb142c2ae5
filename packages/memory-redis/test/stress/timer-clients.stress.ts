import { describeTimersOn } from "../support/timers.ts";

for (const name of [
  "node-redis, RESP2",
  "node-redis pool",
  "node-redis cluster",
  "ioredis",
  "ioredis cluster",
] as const)
  describeTimersOn(name);
