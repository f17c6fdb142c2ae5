import { isDeepStrictEqual } from "node:util";
import { createScriptedModel } from "@jaf/core/testing";
import type { MemoryProvider } from "@jaf/memory";
import * as memory from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { runServer } from "@jaf/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Drivers, freshPrefix, openDrivers } from "./backends.ts";
import { blockNamed } from "./blocks.ts";
import { runBlock } from "./run.ts";
import { spyConsole, spyTimers } from "./spies.ts";

const TEXT = "1-jaf-memory-system";

let drivers: Drivers;
beforeEach(async () => {
  drivers = await openDrivers();
});
afterEach(() => drivers.close());

const block = (name: string, given: object = {}, globals: object = {}) =>
  runBlock(TEXT, name, {
    given: {
      ...memory,
      createPostgresProvider,
      createRedisProvider,
      ...drivers.modules.redis,
      ...given,
    },
    modules: {
      ...drivers.modules,
      "functional-agent-framework": {
        ...memory,
        createPostgresProvider,
        createRedisProvider,
        runServer: (...[agents, config, options]: Parameters<typeof runServer>) =>
          runServer(agents, config, { ...options, port: 0 }),
      },
    },
    globals: { console: spyConsole(), ...globals },
  });

/** Stores and deletes, so that nothing is left behind a prefix that is the text's. */
async function expectToStore(provider: MemoryProvider) {
  const id = crypto.randomUUID();
  expect(await provider.storeMessages(id, [{ role: "user", content: "Hello" }])).toMatchObject({
    success: true,
  });
  expect(await provider.getRecentMessages(id, 1)).toMatchObject({ data: [{ content: "Hello" }] });
  expect(await provider.deleteConversation(id)).toMatchObject({ data: true });
}

describe("in memory", () => {
  it.each(["in-memory", "busy-in-memory"])("is created: %s", async (name) => {
    const { provider } = await block(name);
    await expectToStore(provider);
  });

  it("says what it evicts", async () => {
    const console = spyConsole();
    const { provider } = await block("evictions", {}, { console });
    for (let index = 0; index <= 10_000; index++) await provider.storeMessages(`c${index}`, []);
    expect(console.lines()).toEqual(["Conversation c0 evicted due to memory limits"]);
  });
});

describe("on Redis", () => {
  it("is created with the text's client", async () => {
    const { provider } = await block("redis");
    await expectToStore(provider);
  });

  it.each(["ioredis", "node-redis"])("is created with %s", async (name) => {
    const { client } = await block(name);
    await expectToStore(await createRedisProvider({ keyPrefix: freshPrefix() }, client));
  });

  it("is created from a configuration", async () => {
    const { provider } = await block("from-configuration", { redisClient: await drivers.connectRedis() });
    await expectToStore(provider);
  });

  it("connects with a strategy for reconnecting", async () => {
    const { redisClient } = await block("authentication");
    await redisClient.connect();
    expect(await redisClient.ping()).toBe("PONG");
  });

  it("isn't created with a client that is declared after it", async () => {
    await expect(block("redis-production")).rejects.toThrow(ReferenceError);
  });
});

interface Shape {
  readonly columns: readonly { readonly column_name: string; readonly data_type: string }[];
  readonly indexes: readonly { readonly indexname: string }[];
}

describe("on Postgres", () => {
  it("is created with the text's client, cleans up and counts", async () => {
    const { provider } = await block("postgres");
    await expectToStore(provider);
    await provider.storeMessages("c", [{ role: "user", content: "Hello" }], { userId: "user123" });
    expect(await block("analytics", { provider })).toMatchObject({
      deletedCount: { success: true, data: 0 },
      analytics: { success: true, data: { averageMessagesPerConversation: 1, conversationsLastWeek: 1 } },
    });
  });

  it("cleans up each day", async () => {
    const timers = spyTimers();
    const { provider } = await block(
      "postgres-analytical",
      { postgresClient: await drivers.connectPostgres() },
      timers,
    );
    await expectToStore(provider);
    await timers.tick();
    expect(timers.delays).toEqual([24 * 60 * 60 * 1000]);
  });

  it("has the columns and indexes of the text's schema, and the text's queries find them", async () => {
    const client = await drivers.connectPostgres();
    const [columnsQuery = "", indexesQuery = ""] = blockNamed(TEXT, "verify-schema").code.split(/(?<=;)\n/);
    // Other tests have tables of that name in other schemas.
    const inSchema = (query: string, column: string) =>
      query.replace("WHERE", `WHERE ${column} = current_schema() AND`);
    const shape = async (): Promise<Shape> => {
      const columns = await client.query(inSchema(columnsQuery, "table_schema"));
      const indexes = await client.query(inSchema(indexesQuery, "schemaname"));
      return { columns: columns.rows, indexes: indexes.rows };
    };
    await client.query(blockNamed(TEXT, "schema").code);
    const documented = await shape();
    await client.query("DROP TABLE conversations");
    await createPostgresProvider({}, client);
    const ours = await shape();
    // Messages and traces have tables of their own.
    const missing = documented.columns.filter(
      (row) => !ours.columns.some((own) => isDeepStrictEqual(row, own)),
    );
    expect(missing).toMatchObject([{ column_name: "messages" }]);
    const names = ours.indexes.map(({ indexname }) => indexname);
    expect(documented.indexes.filter(({ indexname }) => !names.includes(indexname))).toMatchObject([
      { indexname: "idx_conversations_trace_id" },
    ]);
    const view =
      "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema()";
    expect((await client.query(`${view} AND table_name = 'conversations_with_messages'`)).rows).toEqual(
      documented.columns.map(({ column_name, data_type }) => ({ column_name, data_type })),
    );
    const traces = "SELECT tablename FROM pg_indexes WHERE schemaname = current_schema()";
    expect((await client.query(`${traces} AND indexname = 'idx_conversations_trace_id'`)).rows).toEqual([
      { tablename: "conversations_traces" },
    ]);
  });

  it("has a pool whose errors are seen", async () => {
    const console = spyConsole();
    const { pool } = await block("pool", {}, { console });
    expect((await pool.query("SELECT current_schema() AS schema")).rows).toEqual([
      { schema: drivers.schema },
    ]);
    pool.emit("error", new Error("gone"));
    expect(console.lines()).toEqual([expect.stringMatching(/^Unexpected error on idle client Error: gone/)]);
  });
});

it("a server runs with the text's configuration, and stores what is said", async () => {
  const memoryProvider = memory.createInMemoryProvider();
  const { server } = await block("server", {
    memoryProvider,
    agents: [{ name: "helper", instructions: "" }],
    modelProvider: createScriptedModel(["Hi there!"]),
  });
  const response = await fetch(`${server.url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: "Hello" }),
  });
  expect(await response.text()).toContain("Hi there!");
  expect(await memoryProvider.getStats()).toMatchObject({
    data: { totalConversations: 1, totalMessages: 2 },
  });
  await server.close();
});
