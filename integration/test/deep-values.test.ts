// Values that are deeper than stores accept, and values as deep as they accept, through a server on real stores.
import { type Agent, createTool } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { runServer } from "@jaf/server";
import pg from "pg";
import { createClient } from "redis";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import * as z from "zod";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const nestedText = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

const agent: Agent<unknown, string> = {
  name: "helper",
  instructions: "Help.",
  tools: [
    createTool({
      name: "look",
      description: "Looks.",
      parameters: z.looseObject({}),
      execute: async () => "looked",
    }),
    createTool({
      name: "remove",
      description: "Removes, once approved.",
      parameters: z.looseObject({}),
      needsApproval: true,
      execute: async () => "removed",
    }),
    createTool({
      name: "locate",
      description: "Asks the page.",
      parameters: z.looseObject({}),
    }),
  ],
};

async function openRedis() {
  const client = createClient({ url: inject("redisUrl") });
  await client.connect();
  onTestFinished(() => client.close());
  const keyPrefix = `test:${crypto.randomUUID()}:`;
  const provider = await createRedisProvider({ keyPrefix }, client);
  return { provider, turnLog: createRedisTurnLog({ keyPrefix }, client) };
}

async function openPostgres() {
  const pool = new pg.Pool({ connectionString: inject("pgUrl") });
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  onTestFinished(async () => {
    await pool.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  const provider = await createPostgresProvider({ schema }, pool);
  return { provider, turnLog: await createPostgresTurnLog({ schema }, pool) };
}

describe.each([
  ["Redis", openRedis],
  ["Postgres", openPostgres],
])("A turn on %s", (_, open) => {
  async function start(replies: Parameters<typeof createScriptedModel>[0]) {
    const { provider, turnLog } = await open();
    const model = createScriptedModel(replies);
    const server = await runServer(
      [agent],
      { modelProvider: model },
      {
        ...{ port: 0, turnLog, defaultMemoryProvider: provider },
      },
    );
    onTestFinished(server.close);
    const post = async (body: string) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${server.url}/chat`, { method: "POST", headers, body });
      // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers
      return { status: response.status, body: (await response.json()) as any };
    };
    return { model, post };
  }

  it.each(["look", "remove", "unknown"])(
    "answers a call of %s whose arguments have 5,000 levels with an error, and goes on",
    async (name) => {
      const { model, post } = await start([
        { toolCalls: [{ name, arguments: nestedText(5_000) }] },
        "Sorry.",
        "Still here.",
      ]);
      const { body } = await post('{"message":"Look."}');
      expect(body.data).toMatchObject({ status: "completed", text: "Sorry." });
      const { conversationId } = body.data;
      const next = await post(JSON.stringify({ conversationId, message: "And now?" }));
      expect(next.body.data).toMatchObject({ status: "completed", text: "Still here." });
      model.assertDone();
    },
  );

  it("waits for an approval of a call whose arguments have 195 levels, and makes it", async () => {
    const call = { toolCalls: [{ name: "remove", arguments: nestedText(195) }] };
    const { model, post } = await start([call, "Done."]);
    const { body } = await post('{"message":"Remove."}');
    const { conversationId, interruptions } = body.data;
    const { toolCallId, approvalId } = interruptions[0];
    const approvals = [{ toolCallId, approvalId, approved: true }];
    const next = await post(JSON.stringify({ conversationId, approvals }));
    expect(next.body.data).toMatchObject({ status: "completed", text: "Done." });
    model.assertDone();
  });

  it("stores a client's result with 190 levels, and refuses one with 5,000", async () => {
    const { model, post } = await start([{ toolCalls: [{ name: "locate", arguments: "{}" }] }, "Hi."]);
    const { conversationId, interruptions } = (await post('{"message":"Where?"}')).body.data;
    const { toolCallId } = interruptions[0];
    const answer = (levels: number) =>
      post(
        `{"conversationId":"${conversationId}","toolResults":[{"toolCallId":"${toolCallId}","result":{"status":"success","data":${nestedText(levels)}}}]}`,
      );
    const refused = await answer(5_000);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({ code: "invalid-request", retryable: false });
    expect((await answer(190)).body.data).toMatchObject({ status: "completed" });
    model.assertDone();
  });
});
