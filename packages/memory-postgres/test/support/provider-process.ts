import { serveProviders } from "@jaf/memory/testing";
import pg from "pg";
import { createPostgresProvider } from "../../src/index.ts";

/** Serves providers to the conformance kit, on one shared pool. */

export interface StorageAddress {
  readonly url: string;
  readonly schema: string;
}

let pool: pg.Pool | undefined;

serveProviders(async ({ url, schema }: StorageAddress) => {
  pool ??= new pg.Pool({ connectionString: url, max: 10 });
  return createPostgresProvider({ schema }, pool);
});
