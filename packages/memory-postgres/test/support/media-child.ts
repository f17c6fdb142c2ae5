import pg from "pg";
import { loadUntilKilled } from "../../../../test/media/crash-load.ts";
import { createPostgresBlobStore, createPostgresProvider } from "../../src/index.ts";

const [connectionString = "", schema = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 6 });
await loadUntilKilled(
  await createPostgresProvider({ schema }, pool),
  await createPostgresBlobStore({ schema }, pool),
);
