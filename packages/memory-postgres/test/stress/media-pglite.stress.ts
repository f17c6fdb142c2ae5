import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe } from "vitest";
import { declareMediaRules, type MediaStores } from "../../../../test/media/media-rules.ts";
import { createPostgresBlobStore, createPostgresProvider, type PostgresClient } from "../../src/index.ts";
import { freshSchema } from "../support/stores.ts";

let pglite: PGlite;

beforeAll(async () => {
  pglite = await PGlite.create();
});

afterAll(async () => {
  await pglite.close();
});

async function storesOn(client: PostgresClient): Promise<MediaStores> {
  const schema = freshSchema();
  const store = await createPostgresProvider({ schema }, client);
  return { store, blobs: await createPostgresBlobStore({ schema }, client), dispose: async () => {} };
}

describe("media on PGlite", () => declareMediaRules(() => storesOn(pglite)));
