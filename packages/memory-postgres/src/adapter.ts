import type { MemoryAdapter } from "@jaf/memory";
import type { PostgresClient } from "./client/clients.ts";
import { type PostgresConfig, type PostgresSettings, postgresConfigSchema } from "./config.ts";
import { createPostgresProvider, type PostgresProvider } from "./conversations/provider.ts";

declare module "@jaf/memory" {
  interface MemoryAdapterTypes {
    postgres: {
      readonly config: PostgresConfig;
      readonly client: PostgresClient;
      readonly provider: PostgresProvider;
    };
  }
}

const definition = {
  type: "postgres",
  configSchema: postgresConfigSchema,
  environment: {
    JAF_POSTGRES_URL: { field: "connectionString", secret: true },
    JAF_POSTGRES_HOST: { field: "host", recommended: true, replacedBy: "JAF_POSTGRES_URL" },
    JAF_POSTGRES_PORT: { field: "port", format: "number", replacedBy: "JAF_POSTGRES_URL" },
    JAF_POSTGRES_DB: { field: "database", recommended: true, replacedBy: "JAF_POSTGRES_URL" },
    JAF_POSTGRES_USER: { field: "username", recommended: true, replacedBy: "JAF_POSTGRES_URL" },
    JAF_POSTGRES_PASSWORD: { field: "password", secret: true, replacedBy: "JAF_POSTGRES_URL" },
    JAF_POSTGRES_SSL: { field: "ssl", format: "boolean" },
    JAF_POSTGRES_TABLE: { field: "tableName" },
    JAF_POSTGRES_SCHEMA: { field: "schema" },
    JAF_POSTGRES_PARTITIONS: { field: "partitions", format: "number" },
    JAF_POSTGRES_MAX_CONNECTIONS: { field: "maxConnections", format: "number" },
    JAF_POSTGRES_QUERY_TIMEOUT_MS: { field: "queryTimeoutMs", format: "number" },
    JAF_POSTGRES_MIGRATE: { field: "migrate", format: "boolean" },
  },
  create: (config: PostgresSettings, client?: PostgresClient): Promise<PostgresProvider> =>
    createPostgresProvider(config, client),
} as const satisfies MemoryAdapter<PostgresSettings, PostgresClient>;

type Definition = typeof definition;

/** The type of {@link adapter}. */
export interface PostgresAdapter extends Definition {}

/**
 * The adapter that `createMemoryProvider({ type: "postgres" })` and `JAF_MEMORY_TYPE=postgres` use. Both find the
 * adapter by the name of this package. In a bundled application, packages can't be found by name. There, pass the
 * adapter to `registerMemoryAdapter` before you create a provider.
 *
 * @example
 * ```ts
 * import { createMemoryProvider, registerMemoryAdapter } from "@jaf/memory";
 * import { adapter } from "@jaf/memory-postgres";
 *
 * registerMemoryAdapter(adapter);
 * const provider = await createMemoryProvider({ type: "postgres", database: "app" });
 * console.log(await provider.healthCheck());
 * await provider.close();
 * ```
 */
export const adapter: PostgresAdapter = definition;
