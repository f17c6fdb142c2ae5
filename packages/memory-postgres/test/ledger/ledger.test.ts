import { describeLedgerConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { createPostgresLedger } from "../../src/index.ts";
import { ageIn, queryOn } from "../support/ledger.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";

const schemas: string[] = [];
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 5 });

afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

describeLedgerConformance({
  name: "postgres, a pool",
  createLedger: async () => {
    const schema = freshSchema();
    schemas.push(schema);
    const connect = () => createPostgresLedger({ schema }, pool);
    return { ledger: await connect(), connect, age: ageIn(schema, queryOn(pool)), dispose: async () => {} };
  },
});
