import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { runServer } from "@jaf/server";
import pg from "pg";
import { createClient } from "redis";
import { createTaskAgent, type TaskAgentOptions } from "./task-agent.ts";

// A program for two releases: besides its folder it imports only packages, and uses only what both releases have.

export interface ReleaseChildOptions extends TaskAgentOptions {
  readonly store:
    | { readonly type: "redis"; readonly url: string; readonly keyPrefix: string }
    | { readonly type: "postgres"; readonly url: string; readonly schema: string };
  readonly release: "previous" | "this";
}

const options: ReleaseChildOptions = JSON.parse(process.argv[2] ?? "{}");
const { agent, model } = createTaskAgent(options);

async function openStore({ store }: ReleaseChildOptions) {
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

const { provider, turnLog } = await openStore(options);
const server = await runServer(
  [agent],
  { modelProvider: model },
  {
    port: 0,
    ...{ defaultMemoryProvider: provider, turnLog },
    authenticate: ({ headers }) => ({ userId: headers.get("x-user") ?? "" }),
    // Longer than the pauses of a busy machine, so that no process loses a lease while it lives.
    turns: { leaseSeconds: 6, heartbeatMs: 1_500, recoverMs: 200 },
  },
);
process.stdout.write(`${server.url}\n`);
