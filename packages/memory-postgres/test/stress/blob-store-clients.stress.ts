import { PGlite } from "@electric-sql/pglite";
import { describeBlobStoreConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { createPostgresBlobStore } from "../../src/index.ts";
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

describeBlobStoreConformance({
  name: "postgres, clients with serializable transactions by default",
  createStore: async () => {
    const schema = schemaOf();
    const clients: pg.Client[] = [];
    const connect = async () => {
      const client = new pg.Client({
        connectionString: inject("pgUrl"),
        options: "-c default_transaction_isolation=serializable",
      });
      await client.connect();
      clients.push(client);
      return createPostgresBlobStore({ schema }, client);
    };
    const dispose = async () => void (await Promise.all(clients.map((client) => client.end())));
    return { store: await connect(), connect, dispose };
  },
});

describeBlobStoreConformance({
  name: "PGlite",
  createStore: async () => {
    pglite ??= PGlite.create();
    const client = await pglite;
    const schema = freshSchema();
    const connect = () => createPostgresBlobStore({ schema }, client);
    return { store: await connect(), connect, dispose: async () => {} };
  },
});
