import { createPostgresProvider, createPostgresTurnLog, type PostgresClient } from "@jaf/memory-postgres";
import { createOpenAIProvider } from "@jaf/openai";
import { createServerApp, type ServerApp } from "@jaf/server";
import { clerk } from "./agent";
import { userOf } from "./session";

export const BASE_PATH = "/api/jaf";

/** Postgres if there is a `DATABASE_URL`. Else a database in a folder, which one process may have open: for development. */
async function openDatabase(): Promise<PostgresClient> {
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL) {
    const { Pool } = await import("pg");
    const pool = new Pool({ connectionString: DATABASE_URL });
    pool.on("error", (error) => console.error("Postgres:", error.message));
    return pool;
  }
  const { openPglite } = await import("@jaf/memory-postgres/pglite");
  return (await openPglite(".data")).client;
}

async function createJaf(): Promise<ServerApp> {
  const database = await openDatabase();
  return createServerApp(
    [clerk],
    {
      modelProvider: createOpenAIProvider({ model: process.env.JAF_MODEL ?? "gpt-5-mini" }),
      memory: { window: { maxMessages: 40, trimTo: 20 } },
    },
    {
      basePath: BASE_PATH,
      authenticate: userOf,
      defaultMemoryProvider: await createPostgresProvider({}, database),
      turnLog: await createPostgresTurnLog({}, database),
    },
  );
}

// Global, since Next loads this module more than once: for each route, and again after a change.
const opened = globalThis as { jaf?: Promise<ServerApp> };

/** The server of this process. Not opened by the import, which `next build` makes, too. */
export const openJaf = (): Promise<ServerApp> => {
  opened.jaf ??= createJaf();
  return opened.jaf;
};
