import type { MemoryAdapter, VersionedMemoryProvider } from "@jaf/memory";
import { type SqliteConfig, type SqliteSettings, sqliteConfigSchema } from "./config.ts";
import { createSqliteProvider } from "./conversations/provider.ts";
import type { SqliteDatabase } from "./database.ts";

declare module "@jaf/memory" {
  interface MemoryAdapterTypes {
    sqlite: {
      readonly config: SqliteConfig;
      readonly client: SqliteDatabase;
      readonly provider: VersionedMemoryProvider;
    };
  }
}

const definition = {
  type: "sqlite",
  configSchema: sqliteConfigSchema,
  environment: { JAF_SQLITE_FILE: { field: "file", recommended: true } },
  create: (config: SqliteSettings, database?: SqliteDatabase): Promise<VersionedMemoryProvider> =>
    createSqliteProvider(config, database),
} as const satisfies MemoryAdapter<SqliteSettings, SqliteDatabase>;

type Definition = typeof definition;

/** The type of {@link adapter}. */
export interface SqliteAdapter extends Definition {}

/**
 * The adapter that `createMemoryProvider({ type: "sqlite" })` and `JAF_MEMORY_TYPE=sqlite` use. Both find the adapter by
 * the name of this package. In a bundled application, packages can't be found by name. There, pass the adapter to
 * `registerMemoryAdapter` before you create a provider.
 *
 * @example
 * ```ts
 * import { createMemoryProvider, registerMemoryAdapter } from "@jaf/memory";
 * import { adapter } from "@jaf/memory-sqlite";
 *
 * registerMemoryAdapter(adapter);
 * const provider = await createMemoryProvider({ type: "sqlite", file: "memory.db" });
 * console.log(await provider.healthCheck());
 * await provider.close();
 * ```
 */
export const adapter: SqliteAdapter = definition;
