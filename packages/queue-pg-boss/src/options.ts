import { parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";
import type { PgBossClient, PgPool } from "./clients.ts";

const hasMethod = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";

/** Where a queue on pg-boss keeps its jobs: one of `connectionString`, `pool` and `boss`, and the names. */
export interface PgBossQueueOptions {
  /** `postgres://user:password@host:port/database`. The queue opens a pool of at most 5 connections. */
  readonly connectionString?: string;
  /** A pool of `pg`, which the queue never closes. */
  readonly pool?: PgPool;
  /** A `PgBoss` of version 10.4 or later that the application has started. The queue never stops it. */
  readonly boss?: PgBossClient;
  /** The schema of the tables of pg-boss. With `boss`, it must be the schema of `boss`. Default `"pgboss"`. */
  readonly schema?: string;
  /** The name of the queue in pg-boss. No other program may use this queue. Default `"jaf-turns"`. */
  readonly name?: string;
}

const schema = z
  .strictObject({
    connectionString: z
      .string()
      .regex(/^postgres(ql)?:\/\//, {
        error: "expected a URL that begins with postgres:// or postgresql://",
      })
      .optional(),
    pool: z
      .custom<PgPool>((value) => hasMethod(value, "connect"), { error: "expected a Pool of `pg`" })
      .optional(),
    boss: z
      .custom<PgBossClient>((value) => hasMethod(value, "getDb"), {
        error: "expected a PgBoss of `pg-boss` 10.4 or later",
      })
      .optional(),
    schema: z
      .string()
      .regex(/^[A-Za-z_]\w{0,49}$/, {
        error: "expected 1 to 50 letters, digits and underscores, the first not a digit",
      })
      .default("pgboss"),
    name: z
      .string()
      .regex(/^[\w-]{1,100}$/, { error: "expected 1 to 100 letters, digits, underscores and hyphens" })
      .default("jaf-turns"),
  })
  .refine(
    ({ connectionString, pool, boss }) =>
      [connectionString, pool, boss].filter((given) => given !== undefined).length === 1,
    { error: "expected one of `connectionString`, `pool` and `boss`" },
  );

/** {@link PgBossQueueOptions} with all defaults filled in. */
export interface PgBossQueueSettings extends z.output<typeof schema> {}

/** Returns the options with their defaults. Throws a `TypeError` if an option is invalid. */
export const parseQueueOptions = (options: PgBossQueueOptions): PgBossQueueSettings =>
  parseOptions(schema, options, "pg-boss queue options");
