import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import { MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import type { Lab } from "../lab.ts";
import { openPool, startPostgresServer } from "../stores/postgres.ts";
import { connectRedis, startRedisServer } from "../stores/redis.ts";
import { cloneUser } from "./clone-users.ts";
import type { MemoryKind } from "./options.ts";

/** Room for what is remembered beyond the 10,000 that there are already. */
const limits = { maxFacts: 20_000 };

export interface OpenStore {
  readonly memory: UserMemoryStore;
  /** Gives a user the facts of another; absent where each is to be remembered. */
  readonly clone?: (original: string, clone: string) => Promise<void>;
  /** The shortest query that its server answers; absent where there is no server. */
  readonly rawQuery?: () => Promise<unknown>;
  /** Once the data is there: leaves no housekeeping of the load to the measurement. */
  readonly tidy?: () => Promise<void>;
}

/** An empty store, on a server of its own where it needs one. */
export async function openStore(lab: Lab, kind: MemoryKind): Promise<OpenStore> {
  const store = await open(lab, kind);
  lab.onEnd(() => store.memory.close());
  return store;
}

async function open(lab: Lab, kind: MemoryKind): Promise<OpenStore> {
  switch (kind) {
    case "in-memory":
      return { memory: new MemoryUserMemory({ limits }) };
    case "redis": {
      const client = await connectRedis(lab, await startRedisServer(lab));
      return { memory: await createRedisUserMemory({ limits }, client), rawQuery: () => client.ping() };
    }
    case "postgres": {
      const url = await startPostgresServer(lab, { durable: true });
      const pool = openPool(lab, url, 10);
      return {
        memory: await createPostgresUserMemory({ limits }, pool),
        clone: (original, clone) => cloneUser(pool, original, clone),
        rawQuery: () => pool.query("SELECT 1"),
        tidy: async () => {
          await pool.query("VACUUM ANALYZE");
          await pool.query("CHECKPOINT");
        },
      };
    }
  }
}
