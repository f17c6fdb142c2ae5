import { describeMemoryProvider } from "@jaf/memory/testing";
import { inject } from "vitest";
import { startPgBouncer } from "../../../../test/pgbouncer.ts";
import type { RunningServer } from "../../../../test/servers.ts";
import { connectPool, createSchemas } from "../support/stores.ts";

let bouncer: RunningServer;
const { createStore, tearDown } = createSchemas((schema) =>
  connectPool(schema, { connectionString: bouncer.url }),
);

describeMemoryProvider({
  name: "postgres, PgBouncer in transaction mode",
  setUp: async () => {
    bouncer = await startPgBouncer(inject("pgUrl"), {});
  },
  createStore,
  tearDown: async () => {
    await tearDown();
    await bouncer.stop();
  },
});
