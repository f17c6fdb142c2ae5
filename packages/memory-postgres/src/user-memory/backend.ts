import type { UserMemoryBackend } from "@jaf/user-memory/adapter";
import type { SqlClient } from "../client/port.ts";
import { toMemoryError } from "../errors.ts";
import type { ResolvedNames } from "../schema/names.ts";
import { createJobs } from "./jobs.ts";
import { createMatching } from "./matching.ts";
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
    match: createMatching(sql, tables),
    nearest: createNearest(sql, { tables, pgvector }),
    jobs: createJobs(sql, tables),
    close,
    toMemoryError,
  };
}
