import type { Agent } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import { createServerApp, type Identity } from "@jaf/server";
import type { UserMemoryStore } from "@jaf/user-memory";
import pg from "pg";
import { createClient } from "redis";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import * as z from "zod";
import { type SentCalls, watchCalls } from "./support/server/sent-calls.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

interface Stores {
  readonly sent: SentCalls;
  readonly provider: VersionedMemoryProvider;
  readonly turnLog: TurnLog;
  readonly userMemory: UserMemoryStore;
}

async function openPostgres(): Promise<Stores> {
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const pool = new pg.Pool({ connectionString: inject("pgUrl") });
  onTestFinished(async () => {
    await pool.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  const sent = watchCalls();
  const watched = new Proxy(pool, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "query" || typeof value !== "function") return value;
      return (query: string | { readonly text: string }, ...rest: unknown[]): unknown => {
        const text = typeof query === "string" ? query : query.text;
        sent.record(text.replaceAll(/\s+/g, " ").trim().slice(0, 100));
        return Reflect.apply(value, target, [query, ...rest]);
      };
    },
  });
  return {
    sent,
    provider: await createPostgresProvider({ schema }, watched),
    turnLog: await createPostgresTurnLog(watched, { schema }),
    userMemory: await createPostgresUserMemory({ schema }, watched),
  };
}

/** A transaction counts as its commands, without `MULTI` and `EXEC`. */
async function openRedis(): Promise<Stores> {
  const keyPrefix = `test:${crypto.randomUUID()}:`;
  const client = await createClient({ url: inject("redisUrl") }).connect();
  onTestFinished(() => client.close());
  const sent = watchCalls();
  const recordCommand = (args: readonly string[]): void => sent.record(args.join(" ").slice(0, 100));
  const recordFirst = (target: object, method: string): void => {
    const call: unknown = Reflect.get(target, method, target);
    if (typeof call !== "function") throw new TypeError(`The client has no ${method}().`);
    Reflect.set(target, method, (args: readonly string[], ...rest: unknown[]): unknown => {
      recordCommand(args);
      return Reflect.apply(call, target, [args, ...rest]);
    });
  };
  recordFirst(client, "sendCommand");
  const { multi } = client;
  client.multi = ((...args: Parameters<typeof multi>) => {
    const queue = multi.apply(client, args);
    recordFirst(queue, "addCommand");
    return queue;
  }) as typeof multi;
  return {
    sent,
    provider: await createRedisProvider({ keyPrefix }, client),
    turnLog: createRedisTurnLog(client, { keyPrefix }),
    userMemory: await createRedisUserMemory({ keyPrefix }, client),
  };
}

const answer = z.object({ data: z.object({ conversationId: z.string() }) });

interface Turn {
  readonly conversationId?: string;
  readonly stream?: boolean;
}

async function startServer({ sent, ...stores }: Stores, remembers: boolean) {
  const agent: Agent<Identity, string> = {
    name: "assistant",
    instructions: "Help.",
    ...(remembers ? { remembers: ({ userId }) => ({ user: userId, extract: "verbatim" as const }) } : {}),
  };
  const app = await createServerApp(
    [agent],
    { modelProvider: createScriptedModel<Identity>(Array.from({ length: 10 }, () => "Good morning.")) },
    {
      authenticate: () => ({ userId: "ada" }),
      defaultMemoryProvider: sent.named("conversations", stores.provider),
      turnLog: sent.named("log", stores.turnLog),
      ...(remembers ? { userMemory: sent.named("facts", stores.userMemory) } : {}),
      turns: { recoverMs: false, heartbeatMs: 60_000, leaseSeconds: 300, gatherMs: 10_000 },
    },
  );
  onTestFinished(async () => void (await app.close()));

  async function send(turn: Turn): Promise<string> {
    const response = await app.fetch(
      new Request("http://localhost/chat", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: "I live in Ulm. Where is the station?", ...turn }),
      }),
    );
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return text;
  }
  return {
    /** Returns what a turn sends. The extraction of facts after a turn isn't part of it. */
    callsOf: async (turn: Turn): Promise<readonly string[]> => {
      sent.take();
      await send(turn);
      const calls = sent.take();
      const queuedAt = calls.findIndex((call) => call.startsWith("facts.queue.enqueue:"));
      const ofExtraction = /^(facts\.(mark|remember|queue\.lease)|other):/;
      return calls.filter(
        (call, at) =>
          (queuedAt !== -1 && at < queuedAt && call.startsWith("facts.mark:")) || !ofExtraction.test(call),
      );
    },
    /** Begins a conversation with two turns. They load the server's scripts. */
    newConversation: async (): Promise<string> => {
      const { conversationId } = answer.parse(JSON.parse(await send({}))).data;
      await send({ conversationId });
      await stores.userMemory.drain();
      return conversationId;
    },
  };
}

describe.each([
  { store: "Postgres", open: openPostgres, most: { turn: 4, stream: 4, begins: 5, withFacts: 7 } },
  { store: "Redis", open: openRedis, most: { turn: 6, stream: 6, begins: 9, withFacts: 10 } },
])("the calls of a turn to $store", ({ open, most }) => {
  it.each([
    { answers: "JSON", stream: false, limit: most.turn },
    { answers: "server-sent events", stream: true, limit: most.stream },
  ])("are few in a known conversation that answers $answers", async ({ stream, limit }) => {
    const { callsOf, newConversation } = await startServer(await open(), false);
    const conversationId = await newConversation();
    const calls = await callsOf({ conversationId, stream });
    expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(limit);
  });

  it("are few in a new conversation", async () => {
    const { callsOf, newConversation } = await startServer(await open(), false);
    await newConversation();
    const calls = await callsOf({});
    expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(most.begins);
  });

  it("are few if facts are recalled and extracted", async () => {
    const { callsOf, newConversation } = await startServer(await open(), true);
    const conversationId = await newConversation();
    const calls = await callsOf({ conversationId });
    expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(most.withFacts);
  });
});
