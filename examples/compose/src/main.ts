import { createPostgresProvider } from "@jaf/memory-postgres";
import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisTurnLog } from "@jaf/memory-redis";
import { createOpenAIProvider } from "@jaf/openai";
import { runServer } from "@jaf/server";
import { Pool } from "pg";
import { createClient } from "redis";
import { clerk } from "./agent.ts";
import { createAuthenticate } from "./users.ts";

const { API_TOKENS = "", JAF_MODEL = "gpt-5-mini", PORT = "3000", REDIS_URL } = process.env;

const pool = new Pool(); // PGHOST, PGUSER, PGPASSWORD, PGDATABASE
pool.on("error", (error) => console.error("Postgres:", error.message));
const redis = createClient({ url: REDIS_URL });
redis.on("error", (error: Error) => console.error("Redis:", error.message));
await redis.connect();

const server = await runServer(
  [clerk],
  {
    modelProvider: createOpenAIProvider({ model: JAF_MODEL }), // OPENAI_API_KEY, OPENAI_BASE_URL
    memory: { window: { maxMessages: 40, trimTo: 20 } },
    userMemory: await createPostgresUserMemory({ migrate: false }, pool),
  },
  {
    host: "0.0.0.0",
    port: Number(PORT),
    authenticate: createAuthenticate(API_TOKENS),
    defaultMemoryProvider: await createPostgresProvider({ migrate: false }, pool),
    turnLog: createRedisTurnLog({}, redis),
    shutdownMs: 20_000,
  },
);
console.log(`Listening on port ${server.port}.`);

// `docker compose stop` sends SIGTERM, and SIGKILL after `stop_grace_period`.
for (const signal of ["SIGTERM", "SIGINT"])
  process.once(signal, async () => {
    await server.close();
    await Promise.all([redis.close(), pool.end()]);
  });
