export { adapter, type SqliteAdapter } from "./adapter.ts";
export { createSqliteBlobStore } from "./blobs/blob-store.ts";
export { type SqliteConfig, type SqliteConfigSchema, sqliteConfigSchema } from "./config.ts";
export { createSqliteBackend, createSqliteProvider } from "./conversations/provider.ts";
export type { SqliteDatabase } from "./database.ts";
export { createSqliteInbox } from "./inbox/inbox.ts";
export { openSqlite } from "./open-store.ts";
export { createSqliteTurnLog } from "./turn-log/turn-log.ts";
