import { defineMemoryProvider } from "@jaf/memory/adapter";
import { serveProviders } from "@jaf/memory/testing";
import { openSqliteBackend, type SqliteStore } from "./backend.ts";

serveProviders(async (store: SqliteStore) => defineMemoryProvider(await openSqliteBackend(store)));
