import { PGlite } from "@electric-sql/pglite";
import { describeLedgerConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { createPostgresLedger } from "../../src/index.ts";
import { ageIn } from "../support/ledger.ts";
import { dropSchemas, freshSchema, runSql } from "../support/stores.ts";

const schemas: string[] = [];
let pglite: Promise<PGlite> | undefined;

afterAll(async () => {
  await (await pglite)?.close();
  await dropSchemas(schemas);
});

const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

describeLedgerConformance({
  name: "postgres, clients with serializable transactions by default",
  createLedger: async () => {
    const schema = schemaOf();
    const clients: pg.Client[] = [];
    const connect = async () => {
      const client = new pg.Client({
        connectionString: inject("pgUrl"),
        options: "-c default_transaction_isolation=serializable",
      });
      await client.connect();
      clients.push(client);
      return createPostgresLedger({ schema }, client);
    };
    const dispose = async () => void (await Promise.all(clients.map((client) => client.end())));
    return { ledger: await connect(), connect, age: ageIn(schema, runSql), dispose };
  },
});

describeLedgerConformance({
  name: "postgres, pools with repeatable reads by default",
  createLedger: async () => {
    const schema = schemaOf();
    const pools: pg.Pool[] = [];
    const connect = async () => {
      const options = "-c default_transaction_isolation=repeatable\\ read";
      const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 5, options });
      pools.push(pool);
      return createPostgresLedger({ schema }, pool);
    };
    const dispose = async () => void (await Promise.all(pools.map((pool) => pool.end())));
    return { ledger: await connect(), connect, age: ageIn(schema, runSql), dispose };
  },
});

describeLedgerConformance({
  name: "PGlite",
  createLedger: async () => {
    pglite ??= PGlite.create();
    const client = await pglite;
    const schema = freshSchema();
    const connect = () => createPostgresLedger({ schema }, client);
    const age = ageIn(schema, (sql) => client.query(sql));
    return { ledger: await connect(), connect, age, dispose: async () => {} };
  },
});
