import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { runServer } from "@jaf/server";
import pg from "pg";
import { createClient } from "redis";
import { agentWith, slowModel } from "./agent.ts";

export interface ServerChildOptions {
  readonly store:
    | { readonly type: "redis"; readonly url: string; readonly keyPrefix: string }
    | { readonly type: "postgres"; readonly url: string; readonly schema: string };
  /** The file that the agent's tool writes. */
  readonly ledger: string;
}

async function openStore({ store }: ServerChildOptions) {
  if (store.type === "redis") {
    const { url, keyPrefix } = store;
    const client = createClient({ url });
    client.on("error", () => undefined);
    await client.connect();
    const provider = await createRedisProvider({ type: "redis", keyPrefix }, client);
    return { provider, turnLog: createRedisTurnLog({ keyPrefix }, client) };
  }
  const { url, schema } = store;
  const pool = new pg.Pool({ connectionString: url });
  pool.on("error", () => undefined);
  const provider = await createPostgresProvider({ type: "postgres", schema }, pool);
  return { provider, turnLog: await createPostgresTurnLog({ schema }, pool) };
}

const options: ServerChildOptions = JSON.parse(process.argv[2] ?? "{}");
const { provider, turnLog } = await openStore(options);
const server = await runServer(
  [agentWith(options.ledger)],
  { modelProvider: slowModel },
  {
    port: 0,
    ...{ defaultMemoryProvider: provider, turnLog },
    // Short, so the other server doesn't delay the test.
    turns: { leaseSeconds: 1, heartbeatMs: 200, recoverMs: 300 },
  },
);
process.stdout.write(`${server.url}\n`);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
