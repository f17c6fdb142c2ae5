import type { PGlite } from "@electric-sql/pglite";
import type { UserMemoryBackend } from "@jaf/user-memory";
import type { BackendFactory } from "@jaf/user-memory/testing";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { adaptClient, type PostgresClient } from "../../src/client.ts";
import { applyMigrations } from "../../src/migrator/migrate.ts";
import { createPostgresUserMemoryBackend } from "../../src/user-memory/backend.ts";
import { userMemoryMigrations } from "../../src/user-memory/migrations.ts";
import { findPgvector } from "../../src/user-memory/pgvector.ts";
import { dropSchemas, freshSchema, runSql } from "./stores.ts";

const TABLES = ["heads", "facts", "tombstones", "audit", "jobs"].map((name) => `user_memory_${name}`);

/** What empties the tables of a schema. */
export const emptyTables = (schema: string): string =>
  TABLES.map((table) => `DELETE FROM "${schema}".${table}`).join(";");

export interface BackendOptions {
  readonly schema: string;
  /** Default: where the database has it. */
  readonly pgvector?: boolean;
}

/** The port itself, with its tables made. */
export async function createBackend(
  client: PostgresClient,
  { schema, pgvector = true }: BackendOptions,
): Promise<UserMemoryBackend> {
  const sql = adaptClient(client);
  const names = await applyMigrations(sql, userMemoryMigrations, { tableName: "user_memory", schema });
  const place = pgvector ? await findPgvector(sql) : undefined;
  return createPostgresUserMemoryBackend({ sql, names, close: async () => {}, pgvector: place });
}

export interface OpenClient {
  readonly client: PostgresClient;
  readonly end: () => Promise<void>;
}

export async function openClient(): Promise<OpenClient> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  return { client, end: () => client.end() };
}

export async function openPool(): Promise<OpenClient> {
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4 });
  pool.on("error", () => {});
  return { client: pool, end: () => pool.end() };
}

/**
 * Stores of a test file on the real server. A schema whose test is over is emptied, and serves the next one with its
 * connections.
 */
export function serverBackends(open: () => Promise<OpenClient>): BackendFactory {
  const idle: { readonly schema: string; readonly clients: OpenClient[] }[] = [];
  const all: (typeof idle)[number][] = [];
  afterAll(async () => {
    await Promise.all(all.flatMap(({ clients }) => clients.map(({ end }) => end())));
    await dropSchemas(all.map(({ schema }) => schema));
  });
  return async () => {
    let slot = idle.pop();
    if (slot === undefined) {
      slot = { schema: freshSchema(), clients: [] };
      all.push(slot);
    }
    const { schema, clients } = slot;
    let used = 0;
    const another = async () => {
      const index = used++;
      clients[index] ??= await open();
      return createBackend((clients[index] as OpenClient).client, { schema });
    };
    const close = async () => {
      await runSql(emptyTables(schema));
      idle.push({ schema, clients });
    };
    return { backend: await another(), another, close };
  };
}

/** Stores in one PGlite. */
export function pgliteBackends(open: () => Promise<PGlite>): BackendFactory {
  const idle: string[] = [];
  let opening: Promise<PGlite> | undefined;
  afterAll(async () => (await opening)?.close());
  return async () => {
    opening ??= open();
    const pglite = await opening;
    const schema = idle.pop() ?? freshSchema();
    const another = () => createBackend(pglite, { schema });
    const close = async () => {
      await pglite.exec(emptyTables(schema));
      idle.push(schema);
    };
    return { backend: await another(), another, close };
  };
}
