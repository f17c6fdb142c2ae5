import { createMemoryStorageError, MemorySetupError } from "@jaf/memory/adapter";
import type { SqlClient } from "../client/port.ts";
import { toMemoryError } from "../errors.ts";

/** The schema of the extension, quoted; `undefined` where the database doesn't have it. */
export async function findPgvector(client: SqlClient): Promise<string | undefined> {
  const [row] = await client.query({
    text: `SELECT quote_ident(nspname)::text AS schema FROM pg_extension
      JOIN pg_namespace AS namespace ON namespace.oid = extnamespace WHERE extname = 'vector'`,
    values: [],
  });
  return row?.["schema"] ?? undefined;
}

/** As {@link findPgvector}; creates it if it is missing. Rejects with a `MemorySetupError` where that is not possible. */
export async function createPgvector(client: SqlClient, operation: string): Promise<string | undefined> {
  const found = await findPgvector(client);
  if (found !== undefined) return found;
  try {
    await client.script("CREATE EXTENSION IF NOT EXISTS vector");
  } catch (thrown) {
    // Two at once can collide; then the other one has made it.
    const made = await findPgvector(client).catch(() => undefined);
    if (made !== undefined) return made;
    const { _tag, cause } = toMemoryError(operation, thrown);
    if (_tag === "MemoryConnectionError") throw thrown;
    const remedy =
      "pgvector can't be created; install it on the server and let this user create it, or leave `pgvector` out";
    throw new MemorySetupError(createMemoryStorageError(operation, remedy, { provider: "postgres", cause }));
  }
  return findPgvector(client);
}
