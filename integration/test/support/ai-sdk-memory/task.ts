import type { MemoryProvider, TurnLog } from "@jaf/memory";
import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import pg from "pg";
import { createClient } from "redis";
import * as z from "zod";

/** What a process of an application of the AI SDK does. */
export const taskSchema = z.object({
  backend: z.enum(["redis", "postgres"]),
  url: z.string(),
  namespace: z.string(),
  conversationId: z.string(),
  userId: z.string(),
  /**
   * `turn`: answers a user's message. `slow`: streams until it is stopped. `stop`: stops that stream. `late`: saves a reply after
   * a line on the standard input. `append`, `replace`: 20 saves at the same time.
   */
  kind: z.enum(["turn", "slow", "stop", "late", "append", "replace"]),
  text: z.string(),
});
export type Task = z.output<typeof taskSchema>;

interface Stores {
  readonly provider: MemoryProvider;
  readonly log: TurnLog;
  readonly close: () => Promise<void>;
}

/** Opens the stores of an application with connections of their own. */
export async function openStores({ backend, url, namespace }: Task): Promise<Stores> {
  if (backend === "redis") {
    const client = await createClient({ url }).connect();
    const keyPrefix = `${namespace}:`;
    const provider = await createRedisProvider({ keyPrefix }, client);
    return { provider, log: createRedisTurnLog({ keyPrefix }, client), close: () => client.close() };
  }
  const pool = new pg.Pool({ connectionString: url });
  const provider = await createPostgresProvider({ schema: namespace }, pool);
  return { provider, log: await createPostgresTurnLog({ schema: namespace }, pool), close: () => pool.end() };
}
