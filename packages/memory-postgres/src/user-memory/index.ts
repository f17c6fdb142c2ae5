export type { PgClient, PgliteClient, PostgresClient } from "../client/clients.ts";
export type {
  PostgresUserMemoryBackendConfig,
  PostgresUserMemoryConfig,
  PostgresUserMemoryTables,
} from "./config.ts";
export { migrate, printMigrations } from "./migrate.ts";
export { createPostgresUserMemory, createPostgresUserMemoryBackend } from "./user-memory.ts";
