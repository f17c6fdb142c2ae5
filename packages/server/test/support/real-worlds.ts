import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import pg from "pg";
import { createClient } from "redis";
import { inject, onTestFinished } from "vitest";
import type { OpenWorld } from "./worlds.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

export const openRedis: OpenWorld = async () => {
  const keyPrefix = `test:${crypto.randomUUID()}:`;
  const client = createClient({ url: inject("redisUrl") });
  await client.connect();
  onTestFinished(() => client.close());
  const provider = await createRedisProvider({ keyPrefix }, client);
  return { provider, log: createRedisTurnLog({ keyPrefix }, client) };
};

export const openPostgres: OpenWorld = async () => {
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const pool = new pg.Pool({ connectionString: inject("pgUrl") });
  onTestFinished(async () => {
    await pool.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  const provider = await createPostgresProvider({ schema }, pool);
  return { provider, log: await createPostgresTurnLog({ schema }, pool) };
};

/** Stores on the database servers of the test run. */
export const realWorlds: readonly (readonly [name: string, open: OpenWorld])[] = [
  ["Redis", openRedis],
  ["Postgres", openPostgres],
];
