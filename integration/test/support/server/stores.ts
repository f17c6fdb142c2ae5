import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import type { UserMemoryStore } from "@jaf/user-memory";
import pg from "pg";
import { createClient } from "redis";
import { inject, onTestFinished } from "vitest";
import { type SentCalls, watchCalls } from "./sent-calls.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

/** The stores of a server on one client. */
export interface Stores {
  readonly sent: SentCalls;
  readonly provider: VersionedMemoryProvider;
  readonly turnLog: TurnLog;
  readonly userMemory: UserMemoryStore;
}

export async function openPostgres(): Promise<Stores> {
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const pool = new pg.Pool({ connectionString: inject("pgUrl") });
  onTestFinished(async () => {
    await pool.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  const sent = watchCalls();
  const watched = new Proxy(pool, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "query" || typeof value !== "function") return value;
      return (query: string | { readonly text: string }, ...rest: unknown[]): unknown => {
        const text = typeof query === "string" ? query : query.text;
        sent.record(text.replaceAll(/\s+/g, " ").trim().slice(0, 100));
        return Reflect.apply(value, target, [query, ...rest]);
      };
    },
  });
  return {
    sent,
    provider: await createPostgresProvider({ schema }, watched),
    turnLog: await createPostgresTurnLog({ schema }, watched),
    userMemory: await createPostgresUserMemory({ schema }, watched),
  };
}

/** A transaction counts as its commands, without `MULTI` and `EXEC`. */
export async function openRedis(): Promise<Stores> {
  const keyPrefix = `test:${crypto.randomUUID()}:`;
  const client = await createClient({ url: inject("redisUrl") }).connect();
  onTestFinished(() => client.close());
  const sent = watchCalls();
  const recordCommand = (args: readonly string[]): void => sent.record(args.join(" ").slice(0, 100));
  const recordFirst = (target: object, method: string): void => {
    const call: unknown = Reflect.get(target, method, target);
    if (typeof call !== "function") throw new TypeError(`The client has no ${method}().`);
    Reflect.set(target, method, (args: readonly string[], ...rest: unknown[]): unknown => {
      recordCommand(args);
      return Reflect.apply(call, target, [args, ...rest]);
    });
  };
  recordFirst(client, "sendCommand");
  const { multi } = client;
  client.multi = ((...args: Parameters<typeof multi>) => {
    const queue = multi.apply(client, args);
    recordFirst(queue, "addCommand");
    return queue;
  }) as typeof multi;
  return {
    sent,
    provider: await createRedisProvider({ keyPrefix }, client),
    turnLog: createRedisTurnLog({ keyPrefix }, client),
    userMemory: await createRedisUserMemory({ keyPrefix }, client),
  };
}
