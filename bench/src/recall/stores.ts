import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import { MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import type { Lab } from "../lab.ts";
import { openPool, startPostgresServer } from "../stores/postgres.ts";
import { connectRedis, startRedisServer } from "../stores/redis.ts";
import type { MemoryKind } from "./options.ts";

/** Room for what is remembered beyond the 10,000 that there are already. */
const limits = { maxFacts: 20_000 };

/** An empty store, on a server of its own where it needs one. */
export async function openStore(lab: Lab, kind: MemoryKind): Promise<UserMemoryStore> {
  const store = await open(lab, kind);
  lab.onEnd(() => store.close());
  return store;
}

async function open(lab: Lab, kind: MemoryKind): Promise<UserMemoryStore> {
  switch (kind) {
    case "in-memory":
      return new MemoryUserMemory({ limits });
    case "redis":
      return createRedisUserMemory({ limits }, await connectRedis(lab, await startRedisServer(lab)));
    case "postgres": {
      const url = await startPostgresServer(lab, { durable: true });
      return createPostgresUserMemory({ limits }, openPool(lab, url, 10));
    }
  }
}
