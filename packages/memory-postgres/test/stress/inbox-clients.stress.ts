import { PGlite } from "@electric-sql/pglite";
import { describeInboxConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { startPgBouncer } from "../../../../test/pgbouncer.ts";
import type { RunningServer } from "../../../../test/servers.ts";
import { createPostgresInbox } from "../../src/index.ts";
import { createInboxStores, type OpenedInbox } from "../support/inbox-stores.ts";
import { dropSchemas, freshSchema, runSql } from "../support/stores.ts";

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

async function openClient(schema: string, options: string): Promise<OpenedInbox> {
  const client = new pg.Client({ connectionString: inject("pgUrl"), options });
  await client.connect();
  return { inbox: await createPostgresInbox({ schema }, client), end: () => client.end() };
}

async function openPool(schema: string, config: pg.PoolConfig): Promise<OpenedInbox> {
  const pool = new pg.Pool({ max: 4, ...config });
  pool.on("error", () => {});
  return { inbox: await createPostgresInbox({ schema }, pool), end: () => pool.end() };
}

const SERIALIZABLE = "-c default_transaction_isolation=serializable";
const REPEATABLE = "-c default_transaction_isolation=repeatable\\ read";

const kinds: Readonly<Record<string, (schema: string) => Promise<OpenedInbox>>> = {
  "a client for each": (schema) => openClient(schema, ""),
  "a pool for each": (schema) => openPool(schema, { connectionString: inject("pgUrl") }),
  "clients with serializable transactions by default": (schema) => openClient(schema, SERIALIZABLE),
  "pools with repeatable reads by default": (schema) =>
    openPool(schema, { connectionString: inject("pgUrl"), options: REPEATABLE }),
  "PgBouncer in transaction mode": (schema) => openPool(schema, { connectionString: bouncer.url }),
};

for (const [name, open] of Object.entries(kinds))
  describeInboxConformance({
    name: `postgres, ${name}`,
    createInbox: createInboxStores({ freshSchema: schemaOf, open, runSql }),
  });

function openedPglite(): Promise<PGlite> {
  pglite ??= PGlite.create();
  return pglite;
}

describeInboxConformance({
  name: "PGlite",
  createInbox: createInboxStores({
    freshSchema,
    open: async (schema) => ({ inbox: await createPostgresInbox({ schema }, await openedPglite()) }),
    runSql: async (sql) => (await openedPglite()).query(sql),
  }),
});
