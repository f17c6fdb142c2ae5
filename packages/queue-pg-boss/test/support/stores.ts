import { isFailure, type Result } from "@jaf/memory";
import pg from "pg";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
  }
}

/** Returns a unique schema name that pg-boss accepts. */
export const freshSchema = (): string => `test_${crypto.randomUUID().replaceAll("-", "")}`;

/** Runs on a separate connection, and returns the rows. */
export async function runSql(
  sql: string,
  connectionString = inject("pgUrl"),
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connectionString);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export const dropSchemas = (schemas: readonly string[]): Promise<unknown> =>
  runSql(
    [
      "SET client_min_messages = warning",
      ...schemas.map((name) => `DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(name)} CASCADE`),
    ].join(";"),
  );

/** Returns the data. Throws if the call failed. */
export function dataOf<T>(result: Result<T>): T {
  if (isFailure(result)) throw new Error(JSON.stringify(result.error));
  return result.data;
}

/** The states of all jobs, oldest first, with the archived ones. */
export const statesOf = async (schema: string): Promise<unknown[]> => {
  const tables = ["job", "archive"].map((name) => `SELECT state, created_on FROM ${schema}.${name}`);
  const rows = await runSql(`${tables.join(" UNION ALL ")} ORDER BY created_on`);
  return rows.map(({ state }) => state);
};
