import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killTreeAtEveryCall } from "../support/agent-tree/every-call.ts";
import {
  type Backend,
  openInMemory,
  openPostgres,
  openRedis,
  openRedisCluster,
} from "../support/crash/backends.ts";
import { CRASHES } from "../support/crash/saboteur.ts";

const STORES = [
  { store: "memory", open: openInMemory, crashes: CRASHES },
  { store: "Postgres", open: openPostgres, crashes: ["killed before", "killed after", "killed, done late"] },
  { store: "Redis", open: openRedis, crashes: ["killed before", "killed after", "killed, done late"] },
  { store: "Redis Cluster", open: openRedisCluster, crashes: ["killed after"] },
] as const;

describe.each(STORES)(
  "three agents in a tree, with crashes at every call of the store $store",
  ({ open, crashes }) => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await open();
    });
    afterAll(() => backend.close());

    it.each(["call", "conversation"] as const)("are resumed and erased whole: memory %s", async (memory) => {
      const { broken, struck } = await killTreeAtEveryCall(backend, { memory, crashes });
      expect(broken).toEqual([]);
      expect(struck).toBeGreaterThan(60);
    });
  },
);
