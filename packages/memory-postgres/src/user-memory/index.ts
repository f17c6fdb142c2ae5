export type { PgClient, PgliteClient, PostgresClient } from "../client.ts";
export type { PostgresUserMemoryConfig, PostgresUserMemoryTables } from "./config.ts";
export { migrate, printMigrations } from "./migrate.ts";
export { createPostgresUserMemory } from "./user-memory.ts";
