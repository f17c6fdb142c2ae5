export { adapter } from "./adapter.ts";
export type { AnalyticsOptions, ConversationAnalytics } from "./analytics.ts";
export { createPostgresBlobStore } from "./blobs/blob-store.ts";
export { migrateBlobs, printBlobMigrations } from "./blobs/migrate.ts";
export type { PgClient, PgliteClient, PostgresClient } from "./client.ts";
export { type PostgresConfig, type PostgresTables, postgresConfigSchema } from "./config.ts";
export { migrate, printMigrations } from "./migrator/migrate.ts";
export { createPostgresBackend, createPostgresProvider, type PostgresProvider } from "./provider.ts";
