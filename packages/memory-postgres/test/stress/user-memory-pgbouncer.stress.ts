import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { startPgBouncer } from "../../../../test/pgbouncer.ts";
import type { RunningServer } from "../../../../test/servers.ts";
import { serverBackends, serverStores } from "../support/user-memory.ts";

let bouncer: RunningServer;
beforeAll(async () => {
  bouncer = await startPgBouncer(inject("pgUrl"), {});
});
afterAll(() => bouncer.stop());

const open = async () => {
  const pool = new pg.Pool({ connectionString: bouncer.url, max: 4 });
  pool.on("error", () => {});
  return { client: pool, end: () => pool.end() };
};

describeUserMemoryBackend("postgres, PgBouncer in transaction mode", serverBackends(open));
describeUserMemory("postgres, PgBouncer in transaction mode", serverStores(open));
