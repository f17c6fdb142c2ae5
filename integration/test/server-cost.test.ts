import type { Agent } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createServerApp, type Identity } from "@jaf/server";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { openPostgres, openRedis, type Stores } from "./support/server/stores.ts";

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
    {
      modelProvider: createScriptedModel<Identity>(Array.from({ length: 10 }, () => "Good morning.")),
      ...(remembers ? { userMemory: stores.userMemory } : {}),
    },
    {
      authenticate: () => ({ userId: "ada" }),
      defaultMemoryProvider: sent.named("conversations", stores.provider),
      turnLog: sent.named("log", stores.turnLog),
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
    /** Returns what a turn sends, with the extraction of facts that follows it. */
    callsOf: async (turn: Turn): Promise<readonly string[]> => {
      sent.take();
      await send(turn);
      await stores.userMemory.drain();
      return sent.take();
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
  {
    store: "Postgres",
    open: openPostgres,
    most: { turn: 4, stream: 4, begins: 5, recall: 2, withFacts: 11 },
  },
  { store: "Redis", open: openRedis, most: { turn: 6, stream: 6, begins: 9, recall: 2, withFacts: 14 } },
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
    const reply = calls.findLastIndex((call) => call.startsWith("conversations.appendMessages:"));
    // Only the store of facts has no name.
    const recall = calls.slice(0, reply).filter((call) => call.startsWith("other:"));
    expect(recall.length, calls.join("\n")).toBeGreaterThan(0);
    expect(recall.length, calls.join("\n")).toBeLessThanOrEqual(most.recall);
    expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(most.withFacts);
  });
});
