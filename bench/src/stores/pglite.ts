import { PGlite } from "@electric-sql/pglite";
import { createPostgresProvider } from "@jaf/memory-postgres";
import type { Lab } from "../lab.ts";
import type { Backend } from "./backend.ts";
import { RAW_TABLE, rawStore } from "./postgres.ts";

/** Postgres within this process, in memory. */
export async function startPgliteBackend(
  lab: Lab,
): Promise<Pick<Backend, "name" | "openRaw" | "openProvider" | "tidy">> {
  const db = await PGlite.create();
  lab.onEnd(() => db.close());
  await db.exec(RAW_TABLE);
  return {
    name: "PGlite",
    openRaw: async () => rawStore(({ text, values }) => db.query(text, values)),
    openProvider: (namespace) => createPostgresProvider({ tableName: namespace }, db),
    tidy: async () => void (await db.exec("VACUUM ANALYZE")),
  };
}
