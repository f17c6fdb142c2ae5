import pg from "pg";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { declareMediaRules, type MediaStores } from "../../../../test/media/media-rules.ts";
import { createPostgresBlobStore, createPostgresProvider, type PostgresClient } from "../../src/index.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";

const schemas: string[] = [];
let pool: pg.Pool;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 5 });
});

afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

async function storesOn(client: PostgresClient): Promise<MediaStores> {
  const schema = freshSchema();
  schemas.push(schema);
  const store = await createPostgresProvider({ schema }, client);
  return { store, blobs: await createPostgresBlobStore({ schema }, client), dispose: async () => {} };
}

describe("media on Postgres", () => declareMediaRules(() => storesOn(pool)));
