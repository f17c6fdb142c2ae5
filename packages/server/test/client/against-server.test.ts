import { createScriptedModel } from "@jaf/core/testing";
import { describe, expect, it } from "vitest";
import { createJafClient } from "../../src/client/index.ts";
import { startTestServer } from "../support/test-server.ts";
import { openInMemory } from "../support/worlds.ts";
import { itServesOwnClient, shown, turnOf } from "./support/own-client.ts";

describe("the client against a server", () => {
  itServesOwnClient(openInMemory);

  const call = { id: "1", name: "remove", arguments: { what: "The shed" } };
  const asks = () => ({ toolCalls: [call] });

  async function started(...replies: Parameters<typeof createScriptedModel>[0]) {
    const server = await startTestServer(createScriptedModel(replies));
    return { ...server, client: createJafClient({ baseUrl: server.url, headers: { "x-user": "ada" } }) };
  }

  it("creates, reads, edits, regenerates, copies, renames, exports and deletes a conversation", async () => {
    const { client } = await started("One.", "Two.", "Three.", "Four.");
    const first = await turnOf(client.chat({ message: "Hello" }));
    expect(first).toMatchObject({ status: "completed", pieces: [] });
    expect(shown(first)).toEqual(["One."]);
    const { conversationId = "", version = -1 } = first;
    const second = await turnOf(
      client.conversations.edit(conversationId, { position: 0, version, message: "Hi" }),
    );
    expect(shown(second)).toEqual(["Two."]);
    const read = await client.conversations.get(conversationId);
    expect(read.messages.map(({ message }) => message.content)).toEqual(["Hi", "Two."]);
    const third = await turnOf(client.conversations.regenerate(conversationId, { version: read.version }));
    expect(shown(third)).toEqual(["Three."]);
    const again = await turnOf(client.conversations.follow(conversationId));
    expect(again).toEqual(third);
    expect(await client.conversations.events(conversationId)).toMatchObject({
      state: "ended",
      turnId: third.turnId,
    });
    const { turns } = await client.conversations.turns(conversationId);
    expect(turns.length).toBe(3);
    await client.conversations.rename(conversationId, "Greetings");
    const copied = await client.conversations.copy(conversationId, { version: third.version ?? -1 });
    const { conversations } = await client.conversations.list({ limit: 1 });
    expect(conversations).toMatchObject([{ conversationId: copied.conversationId, messages: 2 }]);
    expect(await client.conversations.export(conversationId)).toContain("Three.");
    expect(await client.conversations.stop(conversationId)).toEqual({ stopping: false });
    await client.conversations.delete(conversationId);
    expect(await client.conversations.deleteAll()).toEqual({ deleted: 1 });
  });

  it("waits for an approval and continues with the decision", async () => {
    const { client } = await started(asks(), "It is gone.");
    const asked = await turnOf(client.chat({ message: "Remove the shed" }));
    expect(asked).toMatchObject({ status: "interrupted", items: [{}, { state: "waiting" }] });
    const { approvals } = await client.approvals.pending();
    expect(approvals).toMatchObject([
      { conversationId: asked.conversationId, interruption: { toolName: "remove" } },
    ]);
    for await (const list of client.approvals.watch()) {
      expect(list).toHaveLength(1);
      break;
    }
    const [waiting] = asked.interruptions;
    const { conversationId } = asked;
    if (waiting?.type !== "approval" || conversationId === undefined) return expect.unreachable();
    const { toolCallId, approvalId } = waiting;
    const answer = await client.ask({
      conversationId,
      approvals: [{ toolCallId, approvalId, approved: true }],
    });
    expect(answer).toMatchObject({ status: "completed", text: "It is gone.", interruptions: [] });
  });

  it("keeps, explains, reviews and forgets facts", async () => {
    const { client, userMemory } = await started("Hello.");
    const { fact } = await client.facts.add({ fact: "Ada likes tea." });
    await userMemory.remember("ada", "Ada likes coffee.", { trust: "external" });
    const { facts } = await client.facts.list({ status: "quarantined" });
    expect(facts).toMatchObject([{ fact: "Ada likes coffee.", status: "quarantined" }]);
    expect(await client.facts.review(facts[0]?.id ?? "", "reject")).toEqual({ rejected: true });
    const { explanation } = await client.facts.explain(fact.id, { query: "tea" });
    expect(explanation).toMatchObject({ recallable: true, rank: 1 });
    expect(await client.facts.forget(fact.id)).toMatchObject({ facts: 1 });
    expect(await client.facts.forgetAll()).toMatchObject({ facts: 0 });
  });

  it("reads the server's agents and health, and its errors", async () => {
    const { client } = await started("Hello.");
    expect(await client.health()).toEqual({ status: "ok" });
    expect(await client.agents()).toMatchObject({
      defaultAgent: "assistant",
      agents: [{ name: "assistant" }],
    });
    expect(await client.memory.health()).toMatchObject({ healthy: true });
    expect(await client.memory.stats()).toMatchObject({ totalConversations: 0 });
    expect(await client.openApi()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    await expect(client.conversations.get("nowhere")).rejects.toMatchObject({
      name: "JafClientError",
      code: "not-found",
      status: 404,
      retryable: false,
      requestId: expect.any(String),
    });
  });
});
