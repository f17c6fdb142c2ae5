import { PGlite } from "@electric-sql/pglite";
import { describeCacheAdapterConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { createPostgresCacheAdapter } from "../../src/index.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";

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

describeCacheAdapterConformance({
  name: "postgres, clients with serializable transactions by default",
  createCache: async () => {
    const schema = schemaOf();
    const clients: pg.Client[] = [];
    const connect = async () => {
      const client = new pg.Client({
        connectionString: inject("pgUrl"),
        options: "-c default_transaction_isolation=serializable",
      });
      await client.connect();
      clients.push(client);
      return createPostgresCacheAdapter({ schema }, client);
    };
    const dispose = async () => void (await Promise.all(clients.map((client) => client.end())));
    return { cache: await connect(), connect, dispose };
  },
});

describeCacheAdapterConformance({
  name: "PGlite",
  createCache: async () => {
    pglite ??= PGlite.create();
    const client = await pglite;
    const schema = freshSchema();
    const connect = () => createPostgresCacheAdapter({ schema }, client);
    return { cache: await connect(), connect, dispose: async () => {} };
  },
});
