import { createInMemoryInbox, createInMemoryProvider, createInMemoryTimers } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import {
  createPostgresInbox,
  createPostgresProvider,
  createPostgresTimers,
  createPostgresTurnLog,
} from "@jaf/memory-postgres";
import {
  createRedisInbox,
  createRedisProvider,
  createRedisTimers,
  createRedisTurnLog,
} from "@jaf/memory-redis";
import pg from "pg";
import { createClient } from "redis";
import { inject, onTestFinished } from "vitest";
import type { World } from "./process.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

async function openRedis(): Promise<World> {
  const keyPrefix = `test:${crypto.randomUUID()}:`;
  const client = await createClient({ url: inject("redisUrl") }).connect();
  onTestFinished(() => client.close());
  return {
    provider: await createRedisProvider({ keyPrefix }, client),
    log: createRedisTurnLog({ keyPrefix }, client),
    inbox: createRedisInbox({ keyPrefix }, client),
    timers: createRedisTimers({ keyPrefix }, client),
  };
}

async function openPostgres(): Promise<World> {
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4 });
  onTestFinished(async () => {
    await pool.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  return {
    provider: await createPostgresProvider({ schema }, pool),
    log: await createPostgresTurnLog({ schema }, pool),
    inbox: await createPostgresInbox({ schema }, pool),
    timers: await createPostgresTimers({ schema }, pool),
  };
}

const openInMemory = async (): Promise<World> => ({
  provider: createInMemoryProvider(),
  log: createInMemoryTurnLog(),
  inbox: createInMemoryInbox(),
  timers: createInMemoryTimers(),
});

/** Opens the stores of one kind for one test. Closed at the end of the test. */
export const WORLDS = { memory: openInMemory, Redis: openRedis, Postgres: openPostgres } as const;
