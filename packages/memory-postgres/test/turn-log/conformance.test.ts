import { describeTurnLogConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { createPostgresProvider, createPostgresTurnLog } from "../../src/index.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";
import { createTurnLogStores } from "../support/turn-log-stores.ts";

const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
const schemas: string[] = [];

afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

describeTurnLogConformance({
  name: "postgres, a pool",
  createLog: createTurnLogStores({
    freshSchema: () => {
      const schema = freshSchema();
      schemas.push(schema);
      return schema;
    },
    open: async (schema) => ({
      log: await createPostgresTurnLog({ schema }, pool),
      provider: await createPostgresProvider({ schema }, pool),
    }),
    runSql: (sql) => pool.query(sql),
  }),
});
