import type { UserMemoryBackend } from "@jaf/user-memory/adapter";
import { toMemoryError } from "../errors.ts";
import type { ResolvedNames } from "../schema/names.ts";
import type { SqlClient } from "../sql-client.ts";
import { createJobs } from "./jobs.ts";
import { createMatch } from "./matches.ts";
import { createNearest } from "./nearest.ts";
import { createReads } from "./reads.ts";
import { createUserMemoryTables } from "./tables.ts";
import { createWrites } from "./writes.ts";

export interface UserMemoryBackendOptions {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  /** The schema of pgvector, quoted; absent: vectors are compared without it. */
  readonly pgvector?: string | undefined;
  /** Closes what was opened for this backend. */
  readonly close: () => Promise<void>;
}

/** The storage port on Postgres: one statement, one round trip for each call. */
export function createUserMemoryBackend({
  sql,
  names,
  pgvector,
  close,
}: UserMemoryBackendOptions): UserMemoryBackend {
  const tables = createUserMemoryTables(names);
  return {
    name: "postgres",
    ...createReads(sql, tables),
    ...createWrites(sql, { names, pgvector: pgvector !== undefined }),
    match: createMatch(sql, tables),
    nearest: createNearest(sql, { tables, pgvector }),
    jobs: createJobs(sql, tables),
    close,
    toMemoryError,
  };
}
