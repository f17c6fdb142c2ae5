import { serve } from "@hono/node-server";
import { type Agent, createRunState, type ModelProvider, run } from "@jaf/core";
import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import { createServerApp, type Identity } from "@jaf/server";
import { Hono } from "hono";
import pg from "pg";
import { createClient } from "redis";
import { inParallel } from "../lab.ts";
import { now } from "../statistics.ts";
import { type CostRequest, type CostSetup, setupSchema } from "./cost-messages.ts";

/** Offers the same turn by `run`, by a plain Hono handler with `run`, and by the server with and without facts. */

let statements = 0;

/** Counts the statements of all connections, those of transactions too. */
function countStatements(): void {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    statements += 1;
    return Reflect.apply(query, this, args) as never;
  } as typeof query;
}

async function openPostgres(url: string) {
  countStatements();
  const pool = new pg.Pool({ connectionString: url, max: 16, idleTimeoutMillis: 0 });
  pool.on("error", () => {});
  return {
    provider: await createPostgresProvider({}, pool),
    turnLog: await createPostgresTurnLog({}, pool),
    userMemory: await createPostgresUserMemory({}, pool),
  };
}

async function openRedis(url: string) {
  const client = createClient({ url });
  client.on("error", () => {});
  await client.connect();
  const { sendCommand, multi } = client;
  client.sendCommand = ((...args: Parameters<typeof sendCommand>) => {
    statements += 1;
    return sendCommand.apply(client, args);
  }) as typeof sendCommand;
  client.multi = (() => {
    const queue = multi.apply(client);
    const { addCommand } = queue;
    queue.addCommand = (...args: Parameters<typeof addCommand>) => {
      statements += 1;
      return addCommand.apply(queue, args);
    };
    return queue;
  }) as typeof multi;
  return {
    provider: await createRedisProvider({}, client),
    turnLog: createRedisTurnLog({}, client),
    userMemory: await createRedisUserMemory({}, client),
  };
}

const open = ({ kind, url }: CostSetup) => (kind === "postgres" ? openPostgres(url) : openRedis(url));

const { provider, turnLog, userMemory } = await open(setupSchema.parse(JSON.parse(process.argv[2] ?? "")));

const agent: Agent<Identity, string> = { name: "assistant", instructions: "Help." };
const modelProvider: ModelProvider<Identity> = {
  getCompletion: async () => ({ message: { content: "Good morning. The station is behind the minster." } }),
};

async function answer(userId: string, conversationId: string, message: string): Promise<string> {
  const state = createRunState({
    agentName: agent.name,
    context: { userId },
    messages: [{ role: "user", content: message }],
  });
  const { outcome } = await run(state, {
    agentRegistry: new Map([[agent.name, agent]]),
    modelProvider,
    conversationId,
    memory: { provider, userId, autoStore: true },
  });
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return String(outcome.output);
}

const userOf = (request: Request): Identity => ({ userId: request.headers.get("x-user") ?? "nobody" });
const options = {
  ...{ defaultMemoryProvider: provider, turnLog, authenticate: userOf },
  limits: { requestsPerMinute: 1_000_000 },
};
const served = await createServerApp([agent], { modelProvider }, options);
const remembering: Agent<Identity, string> = {
  ...agent,
  remembers: ({ userId }) => ({ user: userId, extract: "verbatim" }),
};
const withFacts = await createServerApp(
  [remembering],
  { modelProvider, userMemory },
  { ...options, basePath: "/facts" },
);

const handler = new Hono().post("/run", async (context) => {
  const { conversationId, message } = await context.req.json<Record<string, string>>();
  if (conversationId === undefined || message === undefined) return context.body(null, 400);
  const { userId } = userOf(context.req.raw);
  return context.json({ conversationId, text: await answer(userId, conversationId, message) });
});

function appFor({ url }: Request): Pick<typeof served, "fetch"> {
  if (url.endsWith("/run")) return handler;
  return url.endsWith("/facts/chat") ? withFacts : served;
}

const server = serve(
  { fetch: (request) => appFor(request).fetch(request), port: 0, hostname: "127.0.0.1" },
  ({ port }) => process.send?.({ url: `http://127.0.0.1:${port}` }),
);

async function usage() {
  await userMemory.drain();
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, statements };
}

async function runTurns({ conversations, turns }: Extract<CostRequest, { readonly type: "run" }>) {
  const times: number[] = [];
  await inParallel(conversations, conversations.length, async ({ userId, conversationId }) => {
    for (let nth = 0; nth < turns; nth++) {
      const start = now();
      await answer(userId, conversationId, "I live in Ulm. Where is the station?");
      times.push(now() - start);
    }
  });
  return { times };
}

process.on("message", (request: CostRequest) => {
  void (request.type === "usage" ? usage() : runTurns(request)).then((reply) => process.send?.(reply));
});
process.on("disconnect", () => {
  server.close();
  setTimeout(() => process.exit(), 200);
});
