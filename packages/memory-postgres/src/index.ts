export { adapter, type PostgresAdapter } from "./adapter.ts";
export { createPostgresBlobStore } from "./blobs/blob-store.ts";
export { createPostgresCacheAdapter } from "./cache-adapter.ts";
export type { PgClient, PgliteClient, PostgresClient } from "./client/clients.ts";
export {
  type PostgresConfig,
  type PostgresConfigSchema,
  type PostgresTables,
  postgresConfigSchema,
} from "./config.ts";
export type { AnalyticsOptions, ConversationAnalytics } from "./conversations/analytics.ts";
export {
  createPostgresBackend,
  createPostgresProvider,
  type PostgresProvider,
} from "./conversations/provider.ts";
export { createPostgresInbox } from "./inbox/inbox.ts";
export { createPostgresLedger, type PostgresLedgerConfig } from "./ledger/ledger.ts";
export { migrate, printMigrations } from "./migrations/migrate.ts";
export { createPostgresTimers } from "./timers/timers.ts";
export { createPostgresTurnLog } from "./turn-log/turn-log.ts";
