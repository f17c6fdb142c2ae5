import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { defineUserMemory, mapFacts, type UserKey, type UserMemoryBackend } from "@jaf/user-memory/adapter";
import type { BackendFactory, StoreFactory } from "@jaf/user-memory/testing";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import type { PostgresClient } from "../../src/client/clients.ts";
import { prepareTables } from "../../src/migrations/migrator.ts";
import { userMemoryTables } from "../../src/migrations/user-memory.ts";
import { termKeyOf } from "../../src/user-memory/fact-codec.ts";
import {
  createPostgresUserMemory,
  createPostgresUserMemoryBackend,
  createUserMemoryBackend,
  findPgvector,
} from "../../src/user-memory/user-memory.ts";
import { dropSchemas, freshSchema, runSql } from "./stores.ts";

const TABLES = ["heads", "facts", "fact_tombstones", "audit", "jobs"].map((name) => `user_memory_${name}`);

/** The SQL that empties the tables of a schema. */
export const emptyTables = (schema: string): string =>
  TABLES.map((table) => `DELETE FROM "${schema}".${table}`).join(";");

export interface BackendOptions {
  readonly schema: string;
  /** Default: if the database has it. */
  readonly pgvector?: boolean;
}

/** The port itself, on created tables. */
export async function createBackend(
  client: PostgresClient,
  { schema, pgvector = true }: BackendOptions,
): Promise<UserMemoryBackend> {
  const sql = adaptClient(client);
  const names = await prepareTables(sql, userMemoryTables, {
    tableName: "user_memory",
    schema,
    operation: "create",
    migrate: true,
  });
  const place = pgvector ? await findPgvector(sql) : undefined;
  return createUserMemoryBackend({ sql, names, close: async () => {}, pgvector: place });
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

interface Slot {
  readonly schema: string;
  readonly clients: OpenClient[];
}

/** Schemas of a test file on the real server. A schema is emptied after its test, and reused with its connections. */
function serverSlots(open: () => Promise<OpenClient>) {
  const idle: Slot[] = [];
  const all: Slot[] = [];
  afterAll(async () => {
    await Promise.all(all.flatMap(({ clients }) => clients.map(({ end }) => end())));
    await dropSchemas(all.map(({ schema }) => schema));
  });
  return () => {
    const slot = idle.pop() ?? { schema: freshSchema(), clients: [] };
    if (!all.includes(slot)) all.push(slot);
    let used = 0;
    const connect = async (): Promise<PostgresClient> => {
      const index = used++; // Taken synchronously, since several may be opened at the same time.
      const opened = slot.clients[index] ?? (await open());
      slot.clients[index] = opened;
      return opened.client;
    };
    const close = async () => {
      await runSql(emptyTables(slot.schema));
      idle.push(slot);
    };
    return { schema: slot.schema, connect, close };
  };
}

export function serverBackends(open: () => Promise<OpenClient>): BackendFactory {
  const take = serverSlots(open);
  return async () => {
    const { schema, connect, close } = take();
    const another = async () => createBackend(await connect(), { schema });
    return { backend: await another(), another, close };
  };
}

const dumpQuery = (schema: string): string =>
  TABLES.map((table) => `SELECT row::text FROM "${schema}".${table} AS row`).join(" UNION ALL ");

const dumpOf = ({ rows }: { rows: unknown[] }): string =>
  rows.map((row) => Object.values(row as Record<string, string>).join()).join("\n");

export function serverStores(open: () => Promise<OpenClient>): StoreFactory {
  const take = serverSlots(open);
  return async () => {
    const { schema, connect, close } = take();
    const client = await connect();
    const memory = await createPostgresUserMemory({ schema }, client);
    return {
      memory,
      backend: await createBackend(client, { schema }),
      another: async () => createPostgresUserMemory({ schema }, await connect()),
      dump: async () => dumpOf(await runSql(dumpQuery(schema))),
      close,
    };
  };
}

const reverse = (text: string): string => [...text].reverse().join("");

/** A wrapper as an application may write it: it stores every text of a user in reverse. */
const reversedOn = async (client: PostgresClient, schema: string): Promise<UserMemoryBackend> =>
  mapFacts(await createPostgresUserMemoryBackend({ schema }, client), { encode: reverse, decode: reverse });

/** The backend of applications, wrapped. */
export function reversedServerBackends(open: () => Promise<OpenClient>): BackendFactory {
  const take = serverSlots(open);
  return async () => {
    const { schema, connect, close } = take();
    const another = async () => reversedOn(await connect(), schema);
    return { backend: await another(), another, close };
  };
}

/** Stores on the wrapped backend. */
export function reversedServerStores(open: () => Promise<OpenClient>): StoreFactory {
  const take = serverSlots(open);
  return async () => {
    const { schema, connect, close } = take();
    const backend = await reversedOn(await connect(), schema);
    return {
      ...{ memory: defineUserMemory(backend), backend, close },
      another: async () => defineUserMemory(await reversedOn(await connect(), schema)),
      dump: async () => {
        const stored = dumpOf(await runSql(dumpQuery(schema)));
        return `${stored}\n${reverse(stored)}`;
      },
    };
  };
}

interface PgliteOptions {
  readonly pgvector?: boolean;
}

/** Schemas of a test file in one PGlite. */
function pgliteSlots({ pgvector = false }: PgliteOptions) {
  const idle: string[] = [];
  let opening: Promise<PGlite> | undefined;
  const open = async () => {
    const pglite = await PGlite.create(pgvector ? { extensions: { vector } } : {});
    if (pgvector) await pglite.exec("CREATE EXTENSION vector");
    return pglite;
  };
  afterAll(async () => (await opening)?.close());
  return async () => {
    opening ??= open();
    const pglite = await opening;
    const schema = idle.pop() ?? freshSchema();
    const close = async () => {
      await pglite.exec(emptyTables(schema));
      idle.push(schema);
    };
    return { pglite, schema, close };
  };
}

export function pgliteBackends(options: PgliteOptions = {}): BackendFactory {
  const take = pgliteSlots(options);
  return async () => {
    const { pglite, schema, close } = await take();
    const another = () => createBackend(pglite, { schema });
    return { backend: await another(), another, close };
  };
}

export function pgliteStores(options: PgliteOptions = {}): StoreFactory {
  const take = pgliteSlots(options);
  return async () => {
    const { pglite, schema, close } = await take();
    const another = () => createPostgresUserMemory({ schema }, pglite);
    return {
      memory: await another(),
      backend: await createBackend(pglite, { schema }),
      another,
      dump: async () => dumpOf(await pglite.query(dumpQuery(schema))),
      close,
    };
  };
}

/** The keys of a user's terms in the index. */
export const termKeys = (user: UserKey, terms: readonly string[]): readonly string[] =>
  terms.map((term) => termKeyOf(user, term));
