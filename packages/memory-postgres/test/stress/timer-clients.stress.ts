import { PGlite } from "@electric-sql/pglite";
import { describeTimersConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { startPgBouncer } from "../../../../test/pgbouncer.ts";
import type { RunningServer } from "../../../../test/servers.ts";
import { createPostgresTimers } from "../../src/index.ts";
import { dropSchemas, freshSchema, runSql } from "../support/stores.ts";
import { createTimerStores, type OpenedTimers } from "../support/timer-stores.ts";

const schemas: string[] = [];
let pglite: Promise<PGlite> | undefined;
let bouncer: RunningServer;

beforeAll(async () => {
  bouncer = await startPgBouncer(inject("pgUrl"), {});
});

afterAll(async () => {
  await (await pglite)?.close();
  await dropSchemas(schemas);
  await bouncer.stop();
});

const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

async function openClient(schema: string, options: string): Promise<OpenedTimers> {
  const client = new pg.Client({ connectionString: inject("pgUrl"), options });
  await client.connect();
  return { timers: await createPostgresTimers({ schema }, client), end: () => client.end() };
}

async function openPool(schema: string, config: pg.PoolConfig): Promise<OpenedTimers> {
  const pool = new pg.Pool({ max: 4, ...config });
  pool.on("error", () => {});
  return { timers: await createPostgresTimers({ schema }, pool), end: () => pool.end() };
}

const SERIALIZABLE = "-c default_transaction_isolation=serializable";
const REPEATABLE = "-c default_transaction_isolation=repeatable\\ read";

const kinds: Readonly<Record<string, (schema: string) => Promise<OpenedTimers>>> = {
  "a client for each": (schema) => openClient(schema, ""),
  "clients with serializable transactions by default": (schema) => openClient(schema, SERIALIZABLE),
  "pools with repeatable reads by default": (schema) =>
    openPool(schema, { connectionString: inject("pgUrl"), options: REPEATABLE }),
  "PgBouncer in transaction mode": (schema) => openPool(schema, { connectionString: bouncer.url }),
};

for (const [name, open] of Object.entries(kinds))
  describeTimersConformance({
    name: `postgres, ${name}`,
    createTimers: createTimerStores({ freshSchema: schemaOf, open, runSql }),
  });

function openedPglite(): Promise<PGlite> {
  pglite ??= PGlite.create();
  return pglite;
}

describeTimersConformance({
  name: "PGlite",
  createTimers: createTimerStores({
    freshSchema,
    open: async (schema) => ({ timers: await createPostgresTimers({ schema }, await openedPglite()) }),
    runSql: async (sql) => (await openedPglite()).query(sql),
  }),
});
