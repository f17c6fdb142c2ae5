import { runInbox } from "@jaf/core";
import type { Inbox, Timers } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import {
  createPostgresInbox,
  createPostgresProvider,
  createPostgresTimers,
  createPostgresTurnLog,
} from "@jaf/memory-postgres";
import {
  createRedisInbox,
  createRedisProvider,
  createRedisTimers,
  createRedisTurnLog,
} from "@jaf/memory-redis";
import pg from "pg";
import { createClient } from "redis";
import { expect, inject, it, onTestFinished } from "vitest";
import { ask, begin, createScriptedModel, createTestService, messagesOf } from "../support/turn-fixtures.ts";
import type { World } from "../support/worlds.ts";

interface Stores {
  readonly world: World;
  readonly inbox: Inbox;
  readonly timers: Timers;
}

async function openRedis(): Promise<Stores> {
  const keyPrefix = `test:${crypto.randomUUID()}:`;
  const client = createClient({ url: inject("redisUrl") });
  await client.connect();
  onTestFinished(() => client.close());
  const provider = await createRedisProvider({ keyPrefix }, client);
  return {
    world: { provider, log: createRedisTurnLog({ keyPrefix }, client) },
    inbox: createRedisInbox({ keyPrefix }, client),
    timers: createRedisTimers({ keyPrefix }, client),
  };
}

async function openPostgres(): Promise<Stores> {
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const pool = new pg.Pool({ connectionString: inject("pgUrl") });
  onTestFinished(async () => {
    await pool.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  const provider = await createPostgresProvider({ schema }, pool);
  return {
    world: { provider, log: await createPostgresTurnLog({ schema }, pool) },
    inbox: await createPostgresInbox({ schema }, pool),
    timers: await createPostgresTimers({ schema }, pool),
  };
}

it.each([
  ["Redis", openRedis],
  ["Postgres", openPostgres],
])("three servers send each timer once, %s", async (_name, open) => {
  const { world, inbox, timers } = await open();
  const replies = Array.from({ length: 100 }, () => "Done.");
  const start = () => {
    const modelProvider = createScriptedModel<unknown>(replies);
    const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
    const config = { modelProvider, memory };
    return createTestService(world, modelProvider, { timers, recoverMs: 20, config });
  };
  const services = [start(), start(), start()];
  const [service] = services;
  if (service === undefined) throw new Error("no service");
  const { conversationId, ended } = await begin(service, ask("Hi."));
  await ended;
  const identity = { userId: "ada" };
  const common = { identity, conversationId, agentName: "clerk" };
  const soon = Date.now() + 300;
  for (let count = 0; count < 20; count++) {
    const timerId = `t${count}:{*}%`;
    await service.timers?.set({ ...common, timerId, message: `${count}`, at: new Date(soon + count) });
  }
  await service.timers?.set({ ...common, timerId: "daily", message: "daily", cron: "0 9 * * *" });
  await expect.poll(() => service.timers?.list(identity), { timeout: 30_000 }).toHaveLength(1);
  await expect.poll(() => inbox.waiting(), { timeout: 30_000 }).toMatchObject({ data: [] });
  const said = (await messagesOf(world, conversationId)).map(messageText);
  const fired = said.filter((text) => text.startsWith("<timer>"));
  expect(fired).toHaveLength(20);
  expect(new Set(fired)).toHaveLength(20);
});

it.each([
  ["Redis", openRedis],
  ["Postgres", openPostgres],
])("two servers send 1,000 timers that are due at once without a pause, %s", async (_name, open) => {
  const { world, inbox, timers } = await open();
  const replies = Array.from({ length: 1_100 }, () => "Done.");
  let searches = 0;
  const counting: Timers = {
    ...timers,
    due: (limit) => {
      searches += 1;
      return timers.due(limit);
    },
  };
  const start = (more: object) => {
    const modelProvider = createScriptedModel<unknown>(replies);
    const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
    return createTestService(world, modelProvider, { config: { modelProvider, memory }, ...more });
  };
  const service = start({});
  const conversations: string[] = [];
  for (let count = 0; count < 5; count++) {
    const { conversationId, ended } = await begin(service, ask("Hi."));
    await ended;
    conversations.push(conversationId);
  }
  const content = { format: 1, identity: { userId: "ada" }, agentName: "clerk", message: "Boo." };
  for (let count = 0; count < 1_000; count++) {
    const conversationId = conversations[count % 5] ?? "";
    const timer = { conversationId, timerId: `t${count}`, userId: "ada", at: new Date(1_000 + count) };
    await timers.set({ ...timer, content: JSON.stringify(content) });
  }
  // The pause between two searches is half an hour or longer.
  const searching = { timers: counting, recoverMs: 3_600_000 };
  start(searching);
  start(searching);
  await expect.poll(() => timers.find({ userId: "ada" }), { timeout: 60_000 }).toMatchObject({ data: [] });
  expect(searches).toBeLessThanOrEqual(22);
  await expect.poll(() => inbox.waiting(), { timeout: 60_000 }).toMatchObject({ data: [] });
  const said = await Promise.all(conversations.map((id) => messagesOf(world, id)));
  const fired = said
    .flat()
    .map(messageText)
    .filter((text) => text.startsWith("<timer>"));
  expect(fired).toHaveLength(1_000);
  expect(new Set(fired)).toHaveLength(1_000);
});
