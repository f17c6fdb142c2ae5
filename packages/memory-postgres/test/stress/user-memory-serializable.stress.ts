import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import pg from "pg";
import { inject } from "vitest";
import { serverBackends, serverStores } from "../support/user-memory.ts";

const open = async () => {
  const options = "-c default_transaction_isolation=serializable";
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4, options });
  pool.on("error", () => {});
  return { client: pool, end: () => pool.end() };
};

describeUserMemoryBackend("postgres, serializable by default", serverBackends(open));
describeUserMemory("postgres, serializable by default", serverStores(open));
