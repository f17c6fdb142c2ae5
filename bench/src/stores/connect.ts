import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import pg from "pg";
import { createClient } from "redis";
import * as z from "zod";
import { storeKinds } from "../options.ts";

/** Where a process that another has started finds the store. */
export const addressSchema = z.strictObject({
  kind: z.enum(storeKinds),
  url: z.string(),
  namespace: z.string(),
});

export type Address = z.output<typeof addressSchema>;

interface ConnectOptions {
  /** Of the connection, on Redis. */
  readonly name: string;
  /** On Postgres. On Redis it is one always. */
  readonly connections: number;
}

export async function connect({ kind, url, namespace }: Address, { name, connections }: ConnectOptions) {
  if (kind === "redis") {
    const client = await createClient({ url, name }).connect();
    const provider = await createRedisProvider({ type: "redis", keyPrefix: `${namespace}:` }, client);
    return { provider, ping: () => client.ping(), disconnect: async () => client.destroy() };
  }
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const provider = await createPostgresProvider({ tableName: namespace }, pool);
  return { provider, ping: () => pool.query("SELECT 1"), disconnect: () => pool.end() };
}
