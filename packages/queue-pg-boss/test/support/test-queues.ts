import type { TurnQueue } from "@jaf/memory/adapter";
import type { TestTurnQueue } from "@jaf/memory/testing";
import { createPgBossQueue, type PgBossQueueOptions } from "../../src/index.ts";
import { runSql } from "./stores.ts";

interface QueueStorage {
  readonly schema: string;
  /** Returns how a queue connects: a connection string, a pool or a PgBoss. */
  readonly connect: () => Pick<PgBossQueueOptions, "connectionString" | "pool" | "boss">;
}

/** Creates queues with fresh names in one schema. */
export function createTestQueues({ schema, connect }: QueueStorage): () => Promise<TestTurnQueue> {
  return async () => {
    const name = `q-${crypto.randomUUID()}`;
    const queues: TurnQueue[] = [];
    const open = async () => {
      const queue = createPgBossQueue({ ...connect(), schema, name });
      queues.push(queue);
      return queue;
    };
    return {
      queue: await open(),
      connect: open,
      contents: async () => {
        const tables = ["job", "archive"].map((table) => `SELECT to_jsonb(t) FROM ${schema}.${table} t`);
        return JSON.stringify(await runSql(tables.join(" UNION ALL ")));
      },
      dispose: async () => {
        for (const queue of queues) await queue.close();
      },
    };
  };
}
