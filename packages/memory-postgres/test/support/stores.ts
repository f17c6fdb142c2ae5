import type { MemoryProvider } from "@jaf/memory";
import type { TestStore } from "@jaf/memory/testing";
import pg from "pg";
import { inject } from "vitest";
import { createPostgresProvider } from "../../src/index.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
  }
}

/** A schema name that no other test has. */
export const freshSchema = (): string => `test_${crypto.randomUUID().replaceAll("-", "")}`;

/** On a connection of its own. */
export async function useClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

export const runSql = (sql: string): Promise<pg.QueryResult> => useClient((client) => client.query(sql));

export const dropSchemas = (schemas: readonly string[]): Promise<unknown> =>
  runSql(
    [
      "SET client_min_messages = warning",
      ...schemas.map((name) => `DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(name)} CASCADE`),
    ].join(";"),
  );

export interface Connection {
  readonly provider: MemoryProvider;
  readonly end: () => Promise<void>;
}

/**
 * Stores in schemas of their own. Making tables takes longer than most tests, so a schema whose test is over is
 * emptied and serves the next one.
 */
export function createSchemas(connect: (schema: string) => Promise<Connection>) {
  const idle: string[] = [];
  const all: string[] = [];
  const admin = new pg.Pool({ connectionString: inject("pgUrl"), max: 2 });

  function checkOut(): string {
    const known = idle.pop();
    if (known !== undefined) return known;
    const schema = freshSchema();
    all.push(schema);
    return schema;
  }

  async function createStore(): Promise<TestStore> {
    const schema = checkOut();
    const connections: Connection[] = [];
    const open = async () => {
      const connection = await connect(schema);
      connections.push(connection);
      return connection.provider;
    };
    const dispose = async () => {
      await Promise.all(connections.map(({ end }) => end()));
      await admin.query(`DELETE FROM "${schema}".conversations`);
      idle.push(schema);
    };
    return { provider: await open(), connect: open, dispose };
  }

  const tearDown = async () => {
    await admin.end();
    await dropSchemas(all);
  };
  return { createStore, tearDown };
}

export async function connectClient(schema: string): Promise<Connection> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  return { provider: await createPostgresProvider({ schema }, client), end: () => client.end() };
}

export async function connectPool(schema: string): Promise<Connection> {
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
  return { provider: await createPostgresProvider({ schema }, pool), end: () => pool.end() };
}
