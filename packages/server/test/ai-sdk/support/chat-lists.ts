import { type Agent, createAgentClient, type ModelProvider } from "@jaf/core";
import { createJafClient } from "@jaf/server/client";
import { DefaultChatTransport } from "ai";
import { expect, it } from "vitest";
import { conversationOfChat } from "../../../src/ai-sdk/chat-ids.ts";
import { HeadlessChat } from "../../support/headless-chat.ts";
import { createPausingModel, createScriptedModel, messagesOf } from "../../support/turn-fixtures.ts";
import type { OpenWorld } from "../../support/worlds.ts";
import { startChatServer } from "./chat-server.ts";
import { expectSame, textOf } from "./started-chat.ts";

const agent: Agent<unknown, string> = { name: "clerk", instructions: "Help." };

const counting = () => createScriptedModel(Array.from({ length: 100 }, (_, n) => `Reply ${n}.`));

/** Chat ids that a client may choose, each different from the others. */
const HOSTILE = [
  ...["*", "%", "a:b", "{}", "[]", "__proto__", "constructor", "a\nb", "a\0b", "../x", "?x=1", " ", "#"],
  ...["e\u0301", "\u00e9", "jaf-0", "x".repeat(255), "x".repeat(256), "x".repeat(1_000)],
];

/** Chat ids that no path of a URL can hold. */
const OUTSIDE_PATHS = ["..", "\ud800"];

/** Tests lists of chats that `useChat` of `ai@6` began, and other conversations in it, on a server with these stores. */
export function itListsChats(openWorld: OpenWorld): void {
  async function start(model: ModelProvider<unknown> = counting()) {
    const world = await openWorld();
    const api = await startChatServer(world, [agent], model);
    const baseUrl = new URL(api).origin;
    const clientOf = (user: string) => createJafClient({ baseUrl, headers: { "x-user": user } });
    const client = clientOf("ada");
    const open = async (id: string, user = "ada") => {
      const transport = new DefaultChatTransport({ api, headers: { "x-user": user } });
      const { messages } = await clientOf(user).conversations.loadChat(id);
      return new HeadlessChat({ id, messages, transport });
    };
    const say = async (id: string, text: string, user = "ada") => {
      const chat = await open(id, user);
      await chat.sendMessage({ text });
      expect(chat.error).toBeUndefined();
      return chat;
    };
    const listed = async (query = {}, user = "ada") =>
      (await clientOf(user).conversations.list(query)).conversations.map(({ chatId }) => chatId);
    return { ...{ world, api, client, clientOf, open, say, listed }, ids: client.conversations };
  }

  it("lists, renames, reopens and deletes chats under the ids that the client chose", async () => {
    const { say, open, listed, ids } = await start();
    await say("tea", "About tea");
    const chat = await say("rain", "About rain");
    const { conversations } = await ids.list();
    expect(conversations.map(({ chatId, title }) => [chatId, title])).toEqual([
      ["rain", "About rain"],
      ["tea", "About tea"],
    ]);
    const { conversationId } = await ids.loadChat("rain");
    expect(conversations[0]).toMatchObject({ conversationId });
    expect(await ids.get(conversationId)).toMatchObject({ chatId: "rain" });
    await ids.rename(conversationId, "Monsoon");
    expectSame(chat, (await open("rain")).messages);
    await say("rain", "More");
    expect(await ids.list({ limit: 1 })).toMatchObject({
      conversations: [{ chatId: "rain", title: "Monsoon", messages: 4 }],
    });
    await ids.delete(conversationId);
    expect(await listed()).toEqual(["tea"]);
    expect((await open("rain")).messages).toEqual([]);
    await say("rain", "Again");
    expect(await listed()).toEqual(["rain", "tea"]);
  });

  it("names the conversation of a chat before its first message", async () => {
    const { say, ids, listed } = await start();
    const { conversationId, messages } = await ids.loadChat("new");
    expect(messages).toEqual([]);
    expect(await listed()).toEqual([]);
    await say("new", "Hi");
    expect((await ids.get(conversationId)).chatId).toBe("new");
  });

  it("opens conversations that POST /chat began, and goes on with them", async () => {
    const { client, say, listed, ids, world } = await start();
    const { conversationId } = await client.ask({ message: "Hello" });
    expect(await listed()).toEqual([conversationId]);
    const chat = await say(conversationId, "More");
    expect(chat.messages.map(textOf)).toEqual([["Hello"], ["Reply 0."], ["More"], ["Reply 1."]]);
    await chat.regenerate();
    await chat.sendMessage({ text: "Other", messageId: chat.messages[0]?.id ?? "" });
    expect(chat.messages.map(textOf)).toEqual([["Other"], ["Reply 3."]]);
    expectSame(chat, (await ids.loadChat(conversationId)).messages);
    expect(await listed()).toEqual([conversationId]);
    await client.ask({ conversationId, message: "And back" });
    expect(await messagesOf(world, conversationId)).toHaveLength(4);
  });

  it("opens conversations of the agent client, and the agent client opens chats", async () => {
    const { say, listed, ids, world } = await start();
    const modelProvider = createScriptedModel(["From afar.", "Also here."]);
    const ada = createAgentClient(agent, { modelProvider, context: {}, store: world.provider }).forUser(
      "ada",
    );
    const { conversationId = "" } = await ada.prompt("Hello");
    const chat = await say(conversationId, "More");
    expect(chat.messages.map(textOf)).toEqual([["Hello"], ["From afar."], ["More"], ["Reply 0."]]);
    await say("tea", "About tea");
    const tea = await ids.loadChat("tea");
    expect((await ada.continue(tea.conversationId).prompt("More")).text).toBe("Also here.");
    expect((await ids.loadChat("tea")).messages).toHaveLength(4);
    expect(await listed()).toEqual(["tea", conversationId]);
  });

  it("opens a chat under its conversation's id, too", async () => {
    const { say, listed, ids } = await start();
    await say("tea", "About tea");
    const { conversationId } = await ids.loadChat("tea");
    await say(conversationId, "More");
    expect((await ids.loadChat("tea")).messages).toHaveLength(4);
    expect(await ids.loadChat(conversationId)).toEqual(await ids.loadChat("tea"));
    expect(await listed()).toEqual(["tea"]);
  });

  it("resumes and stops a turn of a conversation that POST /chat began", async () => {
    const { model } = createPausingModel(["Hel"]);
    const { api, client, open } = await start(model);
    const events = client.chat({ message: "Hi" });
    const first = await events.next();
    const event = first.done === true ? undefined : first.value.event;
    const conversationId = event?.type === "turn_start" ? event.conversationId : "";
    const chat = await open(conversationId);
    const resumed = chat.resumeStream();
    await expect.poll(() => textOf(chat.lastMessage)).toEqual(["Hel"]);
    const stop = (user: string) =>
      fetch(`${api}/${conversationId}/stop`, { method: "POST", headers: { "x-user": user } });
    expect(await (await stop("bob")).json()).toMatchObject({ data: { stopping: false } });
    expect(await (await stop("ada")).json()).toMatchObject({ data: { stopping: true } });
    await resumed;
    expect(textOf(chat.lastMessage)).toEqual(["Hel"]);
    await events.return();
  });

  it("keeps a chat when a conversation with its id appears later", async () => {
    const { say, ids, listed, world } = await start();
    await say("tea", "About tea");
    const said = [{ role: "user" as const, content: "Another" }];
    await world.provider.appendMessages("tea", said, { userId: "ada" }, { createIfMissing: true });
    const chat = await ids.loadChat("tea");
    expect(chat.conversationId).toBe(conversationOfChat("ada", "tea"));
    expect(chat.messages).toHaveLength(2);
    expect(await listed()).toEqual(["tea", "tea"]);
    await ids.delete("tea");
    expect((await ids.loadChat("tea")).messages).toHaveLength(2);
  });

  it("keeps users apart who choose the same id, or the id of another's conversation", async () => {
    const { client, clientOf, say, listed, ids, world } = await start();
    const bobs = clientOf("bob").conversations;
    await say("tea", "Ada's");
    await say("tea", "Bob's", "bob");
    const { conversationId } = await client.ask({ message: "Hello" });
    const hash = (await ids.loadChat("tea")).conversationId;
    for (const id of [conversationId, hash]) {
      const empty = { conversationId: conversationOfChat("bob", id), messages: [] };
      expect(await bobs.loadChat(id)).toEqual(empty);
      await say(id, "Bob's own", "bob");
      expect(await bobs.loadChat(id)).toMatchObject({ messages: [{}, {}] });
      await expect(bobs.rename(id, "Mine")).rejects.toMatchObject({ code: "not-found" });
      await expect(bobs.delete(id)).rejects.toMatchObject({ code: "not-found" });
    }
    expect(await listed({}, "bob")).toEqual([hash, conversationId, "tea"]);
    expect(await listed({ search: "ada" }, "bob")).toEqual([]);
    expect(await listed()).toEqual([conversationId, "tea"]);
    expect(await messagesOf(world, conversationId)).toHaveLength(2);
    expect(await messagesOf(world, hash)).toHaveLength(2);
  });

  it("believes no chat id in metadata that isn't the conversation's", async () => {
    const { say, listed, world } = await start();
    await say("tea", "About tea");
    for (const [id, chatId] of Object.entries({ forged: "tea", odd: 7, none: null })) {
      await world.provider.appendMessages(id, [], { userId: "ada", chatId }, { createIfMissing: true });
    }
    expect((await listed()).sort()).toEqual(["forged", "none", "odd", "tea"]);
  });

  it("lists and opens each of the hostile ids as it was chosen", async () => {
    const { api, say, ids, world } = await start();
    for (const id of HOSTILE) await say(id, JSON.stringify(id));
    for (const id of OUTSIDE_PATHS) {
      const chat = new HeadlessChat({ id, transport: new DefaultChatTransport({ api }) });
      await chat.sendMessage({ text: JSON.stringify(id) });
    }
    const { conversations } = await ids.list({ limit: 100 });
    const all = [...HOSTILE, ...OUTSIDE_PATHS];
    expect(conversations.map(({ chatId }) => chatId)).toEqual(all.reverse());
    for (const { chatId, conversationId } of conversations) {
      expect(conversationId).toBe(conversationOfChat("ada", chatId));
      const opened = OUTSIDE_PATHS.includes(chatId) ? conversationId : chatId;
      expect((await ids.loadChat(opened)).conversationId).toBe(conversationId);
      expect(await messagesOf(world, conversationId)).toMatchObject([
        { content: JSON.stringify(chatId) },
        {},
      ]);
    }
  });

  it("searches titles without regard to case, page by page", async () => {
    const { listed, ids, world } = await start();
    const make = (conversationId: string, title: string, userId = "ada") =>
      world.provider.appendMessages(conversationId, [], { userId, title }, { createIfMissing: true });
    for (let n = 0; n < 12; n++) await make(`c${n}`, n % 3 === 0 ? `ÉCOLE ${n} 100%` : `Rain ${n}`);
    await make("untitled", "");
    await make("eves", "École", "eve");
    expect(await listed({ search: "école" })).toEqual(["c9", "c6", "c3", "c0"]);
    expect(await listed({ search: "e\u0301cole 3" })).toEqual(["c3"]);
    expect(await listed({ search: "100%" })).toHaveLength(4);
    for (const search of ["%", "_", ".*"].map((each) => `${each}c`))
      expect(await listed({ search })).toEqual([]);
    const first = await ids.list({ search: "école", limit: 3 });
    expect(first.conversations).toHaveLength(3);
    const { nextCursor = "" } = first;
    const second = await ids.list({ search: "école", limit: 3, cursor: nextCursor });
    expect(second.conversations.map(({ conversationId }) => conversationId)).toEqual(["c0"]);
    expect(second.nextCursor).toBeUndefined();
  });
}
