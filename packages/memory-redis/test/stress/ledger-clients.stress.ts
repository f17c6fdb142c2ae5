import { describeLedgerOn } from "../support/ledger.ts";

for (const name of [
  "node-redis, RESP2",
  "node-redis pool",
  "node-redis cluster",
  "ioredis",
  "ioredis cluster",
] as const)
  describeLedgerOn(name);
