export type { PgClient, PgliteClient, PostgresClient } from "../client/clients.ts";
export type {
  PostgresUserMemoryBackendConfig,
  PostgresUserMemoryConfig,
  PostgresUserMemoryTables,
} from "./user-memory.ts";
export { migrate, printMigrations } from "./user-memory.ts";
export { createPostgresUserMemory, createPostgresUserMemoryBackend } from "./user-memory.ts";
