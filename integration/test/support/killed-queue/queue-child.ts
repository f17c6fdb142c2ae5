import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { createBullMQQueue } from "@jaf/queue-bullmq";
import { createPgBossQueue } from "@jaf/queue-pg-boss";
import { runServer } from "@jaf/server";
import pg from "pg";
import { createClient } from "redis";
import { createTaskAgent, type TaskAgentOptions } from "../two-releases/task-agent.ts";

export interface QueueChildOptions extends TaskAgentOptions {
  readonly queue: "BullMQ" | "pg-boss";
  readonly url: string;
  /** The prefix of all keys in Redis, or the start of the names of schemas in Postgres. */
  readonly name: string;
  /** The version of the application: the next one has an agent that the other doesn't have. */
  readonly release: "old" | "next";
  /** How many turns the process works on at once. `0`: it only takes requests. */
  readonly concurrency: number;
}

const options: QueueChildOptions = JSON.parse(process.argv[2] ?? "{}");

async function openOnRedis({ url, name }: QueueChildOptions) {
  const keyPrefix = `${name}:`;
  const client = createClient({ url });
  client.on("error", () => undefined);
  await client.connect();
  return {
    defaultMemoryProvider: await createRedisProvider({ type: "redis", keyPrefix }, client),
    turnLog: createRedisTurnLog({ keyPrefix }, client),
    queue: createBullMQQueue({ connection: url, prefix: name }),
  };
}

async function openOnPostgres({ url, name }: QueueChildOptions) {
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  pool.on("error", () => undefined);
  return {
    defaultMemoryProvider: await createPostgresProvider({ type: "postgres", schema: name }, pool),
    turnLog: await createPostgresTurnLog({ schema: name }, pool),
    queue: createPgBossQueue({ pool, schema: `${name}_queue` }),
  };
}

const stores = options.queue === "BullMQ" ? await openOnRedis(options) : await openOnPostgres(options);
const { agent, model } = createTaskAgent(options);
const agents = options.release === "next" ? [agent, { ...agent, name: "reviewer" }] : [agent];
const server = await runServer(
  agents,
  { modelProvider: model },
  {
    port: 0,
    ...stores,
    concurrency: options.concurrency,
    authenticate: ({ headers }) => ({ userId: headers.get("x-user") ?? "" }),
    // Turns of an agent that this version doesn't have are left to the next one.
    onError: () => undefined,
    // Longer than the pauses of a busy machine, so that no process loses a lease while it lives.
    turns: { leaseSeconds: 6, heartbeatMs: 1_500, recoverMs: 1_000 },
  },
);
process.stdout.write(`${server.url}\n`);
