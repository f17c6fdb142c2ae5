import { setTimeout as sleep } from "node:timers/promises";
import { type ModelProvider, runInbox } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryInbox, createInMemoryProvider, type Inbox } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import { runServer } from "@jaf/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { createJafClient, emptyTurn, foldTurn } from "../../src/client/index.ts";
import { assistant, startTestServer } from "../support/test-server.ts";

async function startWithInbox(modelProvider: ModelProvider<unknown>, inbox: Inbox = createInMemoryInbox()) {
  const provider = createInMemoryProvider();
  const server = await runServer(
    [assistant],
    { modelProvider, memory: { inbox: runInbox(inbox) } },
    {
      port: 0,
      defaultMemoryProvider: provider,
      authenticate: ({ headers }) => ({ userId: headers.get("x-user") ?? "" }),
      turns: { recoverMs: 50, pollMs: 10 },
    },
  );
  onTestFinished(server.close);
  const as = (user: string) => createJafClient({ baseUrl: server.url, headers: { "x-user": user } });
  const said = async (conversationId: string) => {
    const stored = await provider.getConversation(conversationId);
    const messages = (stored.success && stored.data?.messages) || [];
    return messages.map((message) => `${message.role}: ${messageText(message)}`);
  };
  return { provider, inbox, as, client: as("ada"), said };
}

/** An entry as a server stores it. */
const sent = (fields: object): string =>
  JSON.stringify({ format: 1, identity: { userId: "ada" }, agentName: "assistant", ...fields });

/** A model whose nth reply waits until it is released. */
function pausable(replies: Parameters<typeof createScriptedModel>[0], nth: number) {
  let release = (): void => {};
  let reached = (): void => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const scripted = createScriptedModel<unknown>(replies as never);
  let calls = 0;
  const before = async (): Promise<void> => {
    calls += 1;
    if (calls !== nth) return;
    reached();
    await released;
  };
  const model: ModelProvider<unknown> = {
    getCompletion: async (...request) => {
      await before();
      return scripted.getCompletion(...request);
    },
  };
  return { model, isReached, release };
}

describe("a message that is sent while a turn runs", () => {
  it("is taken before the turn's next model call", async () => {
    const adding = { toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] };
    const { model, isReached, release } = pausable([adding, "Three, briefly."], 1);
    const { client, said } = await startWithInbox(model);
    const asked = client.ask({ message: "What is 1 + 2?" });
    await isReached;
    const [begun] = (await client.conversations.list()).conversations;
    const id = begun?.conversationId ?? "";
    expect(await client.conversations.send(id, { message: "Be brief." })).toEqual({ sent: true });
    release();
    expect((await asked).text).toBe("Three, briefly.");
    expect(await said(id)).toEqual([
      "user: What is 1 + 2?",
      "assistant: ",
      "tool: 3",
      "user: Be brief.",
      "assistant: Three, briefly.",
    ]);
  });

  it("begins the next turn if the turn ends before", async () => {
    const { model, isReached, release } = pausable(["Hello.", "Fine."], 1);
    const { client, said } = await startWithInbox(model);
    const asked = client.ask({ message: "Hi." });
    await isReached;
    const [begun] = (await client.conversations.list()).conversations;
    const id = begun?.conversationId ?? "";
    await client.conversations.send(id, { message: "How are you?" });
    release();
    await asked;
    await expect
      .poll(() => said(id))
      .toEqual(["user: Hi.", "assistant: Hello.", "user: How are you?", "assistant: Fine."]);
  });
});

describe("a message that is sent while no turn runs", () => {
  it("begins a turn, whose events can be followed", async () => {
    const { client, said } = await startWithInbox(createScriptedModel(["Hello.", "Fine."]));
    const { conversationId } = await client.ask({ message: "Hi." });
    const { turnId } = await client.conversations.send(conversationId, { message: "How are you?" });
    let turn = emptyTurn;
    for await (const event of client.conversations.follow(conversationId, { turnId: turnId ?? "" }))
      turn = foldTurn(turn, event);
    expect(turn.status).toBe("completed");
    expect((await said(conversationId)).slice(2)).toEqual(["user: How are you?", "assistant: Fine."]);
  });

  it("is sent once under one key", async () => {
    const { client, said } = await startWithInbox(createScriptedModel(["Hello.", "Fine."]));
    const { conversationId } = await client.ask({ message: "Hi." });
    const request = { message: "How are you?", key: "m-2" };
    await client.conversations.send(conversationId, request);
    await expect.poll(async () => (await said(conversationId)).length).toBe(4);
    expect(await client.conversations.send(conversationId, request)).toEqual({ sent: true });
    expect(await said(conversationId)).toHaveLength(4);
  });

  it("waits while a call waits for an approval, and is taken after it", async () => {
    const removing = { toolCalls: [{ id: "call_1", name: "remove", arguments: { what: "it" } }] };
    const { client, said } = await startWithInbox(createScriptedModel([removing, "It is gone."]));
    const { conversationId, interruptions } = await client.ask({ message: "Remove it." });
    expect(await client.conversations.send(conversationId, { message: "Thanks." })).toEqual({ sent: true });
    const [waiting] = interruptions;
    if (waiting?.type !== "approval") throw new Error("no approval");
    const { toolCallId, approvalId } = waiting;
    await client.ask({ conversationId, approvals: [{ toolCallId, approvalId, approved: true }] });
    expect((await said(conversationId)).slice(2)).toEqual([
      "tool: it is removed",
      "user: Thanks.",
      "assistant: It is gone.",
    ]);
  });
});

describe("an inbox", () => {
  it("that a process has left behind begins a turn in another process", async () => {
    const { client, inbox, said } = await startWithInbox(createScriptedModel(["Hello.", "Fine."]));
    const { conversationId } = await client.ask({ message: "Hi." });
    await inbox.put({
      conversationId,
      userId: "ada",
      key: "left",
      content: sent({ content: "How are you?" }),
    });
    await expect.poll(async () => (await said(conversationId)).length, { timeout: 10_000 }).toBe(4);
  });

  it("with an entry of a newer release begins few turns, and keeps the entry", async () => {
    const { client, inbox } = await startWithInbox(createScriptedModel(["Hello."]));
    const { conversationId } = await client.ask({ message: "Hi." });
    await inbox.put({ conversationId, userId: "ada", key: "newer", content: sent({ format: 2 }) });
    await expect
      .poll(async () => (await client.conversations.turns(conversationId)).turns.length, { timeout: 10_000 })
      .toBe(2);
    // Long enough for hundreds of turns, if each began the next one.
    await sleep(300);
    expect((await client.conversations.turns(conversationId)).turns).toHaveLength(2);
    expect(await inbox.read({ conversationId })).toMatchObject({ data: [{ key: "newer" }] });
  });

  it("is another user's secret", async () => {
    const { client, as, inbox } = await startWithInbox(createScriptedModel(["Hello."]));
    const { conversationId } = await client.ask({ message: "Hi." });
    await expect(as("eve").conversations.send(conversationId, { message: "Boo." })).rejects.toMatchObject({
      code: "not-found",
    });
    expect(await inbox.read({ conversationId })).toMatchObject({ success: true, data: [] });
  });

  it("is erased with its conversation, and with its user's", async () => {
    const removing = { toolCalls: [{ name: "remove", arguments: { what: "it" } }] };
    const { client, inbox } = await startWithInbox(createScriptedModel([removing, removing]));
    const first = await client.ask({ message: "Remove it." });
    await client.conversations.send(first.conversationId, { message: "Thanks." });
    await client.conversations.delete(first.conversationId);
    expect(await inbox.waiting()).toMatchObject({ data: [] });
    const second = await client.ask({ message: "Remove it." });
    await client.conversations.send(second.conversationId, { message: "Thanks." });
    await client.conversations.deleteAll();
    expect(await inbox.waiting()).toMatchObject({ data: [] });
  });

  it("of a conversation that is gone is erased", async () => {
    const { inbox } = await startWithInbox(createScriptedModel([]));
    await inbox.put({ conversationId: "gone", userId: "ada", key: "1", content: sent({ content: "Hi." }) });
    await expect.poll(() => inbox.waiting(), { timeout: 10_000 }).toMatchObject({ data: [] });
  });

  it("keeps what an agent client sent to a conversation that its next run creates", async () => {
    const { inbox } = await startWithInbox(createScriptedModel([]));
    const content = JSON.stringify({ format: 1, content: "Hi." });
    await inbox.put({ conversationId: "later", userId: "ada", key: "1", content });
    // Several searches.
    await sleep(400);
    expect(await inbox.read({ conversationId: "later" })).toMatchObject({ data: [{ key: "1" }] });
  });

  it("that the server doesn't have is told so", async () => {
    const server = await startTestServer();
    const answer = await server.ask("ada", "POST", "/conversations/any/inbox", { message: "Hi." });
    expect(answer).toMatchObject({ status: 404, body: { error: { code: "not-configured" } } });
  });
});
