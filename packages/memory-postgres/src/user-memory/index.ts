export type { PgClient, PgliteClient, PostgresClient } from "../client/clients.ts";
export { createPostgresMessageIndex } from "./message-index/message-index.ts";
export type {
  PostgresUserMemoryBackendConfig,
  PostgresUserMemoryConfig,
  PostgresUserMemoryTables,
} from "./user-memory.ts";
export {
  createPostgresUserMemory,
  createPostgresUserMemoryBackend,
  migrate,
  printMigrations,
} from "./user-memory.ts";
