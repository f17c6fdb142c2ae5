import { describeBlobStoreConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { createPostgresBlobStore } from "../../src/index.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";

const schemas: string[] = [];
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 5 });

afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

describeBlobStoreConformance({
  name: "postgres, a pool",
  createStore: async () => {
    const schema = schemaOf();
    const connect = () => createPostgresBlobStore({ schema }, pool);
    return { store: await connect(), connect, dispose: async () => {} };
  },
});
