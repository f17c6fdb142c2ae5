import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { DefaultChatTransport, type UIMessage } from "ai";
import { expect, it } from "vitest";
import type { HeadlessChat } from "../../support/headless-chat.ts";
import { clerk, createPausingModel } from "../../support/turn-fixtures.ts";
import type { OpenWorld } from "../../support/worlds.ts";
import { startChatServer } from "./chat-server.ts";
import { expectSame, startChat, textOf } from "./started-chat.ts";

const say = (chat: HeadlessChat, text = "Hi") =>
  chat.sendMessage({ id: "u1", parts: [{ type: "text", text }] });

const said = (messages: readonly UIMessage[]) => messages.map((message) => textOf(message)?.join(""));

/** Tests messages that are submitted more than once, on one server with these stores and on two that share them. */
export function itSaysRepeatedSubmitsOnce(openWorld: OpenWorld): void {
  async function start() {
    const pausing = createPausingModel(["Hel"], ["lo"]);
    const first = await startChat(openWorld, pausing.model);
    const { world, chatOf } = first;
    const otherApi = await startChatServer(world, [clerk], pausing.model);
    const onOther = () => chatOf({ transport: new DefaultChatTransport({ api: otherApi }) });
    return { ...pausing, ...first, onOther };
  }

  it.each(["one server", "two servers"])(
    "is stored once if it is sent twice at the same time, on %s",
    async (where) => {
      const { chatOf, onOther, read, go, calls } = await start();
      const chats = [chatOf(), where === "one server" ? chatOf() : onOther(), chatOf()];
      const sending = chats.map((chat) => say(chat));
      for (const chat of chats) await expect.poll(() => textOf(chat.lastMessage)).toEqual(["Hel"]);
      go();
      await Promise.all(sending);
      const stored = await read();
      expect(said(stored)).toEqual(["Hi", "Hello"]);
      for (const chat of chats) expectSame(chat, stored);
      expect(calls()).toBe(1);
    },
  );

  it("gets the same reply if it is repeated after the end, without a new turn", async () => {
    const { chatOf, onOther, read, go, calls } = await start();
    go();
    await say(chatOf());
    const stored = await read();
    for (const chat of [chatOf(), onOther()]) {
      await say(chat);
      expectSame(chat, stored);
    }
    expect(await read()).toEqual(stored);
    expect(said(stored)).toEqual(["Hi", "Hello"]);
    // Also not later in the conversation.
    const loaded = chatOf({ messages: stored });
    await loaded.sendMessage({ text: "More" });
    await say(chatOf());
    expect(said(await read())).toEqual(["Hi", "Hello", "More", "Hello"]);
    expect(calls()).toBe(2);
  });

  it("joins the turn if it is repeated after a lost connection", async () => {
    const { chatOf, onOther, read, go, calls } = await start();
    const lost = chatOf();
    const sending = say(lost);
    await expect.poll(() => textOf(lost.lastMessage)).toEqual(["Hel"]);
    await lost.stop();
    await sending;
    const chats = [chatOf(), onOther()];
    const again = chats.map((chat) => say(chat));
    for (const chat of chats) await expect.poll(() => textOf(chat.lastMessage)).toEqual(["Hel"]);
    go();
    await Promise.all(again);
    const stored = await read();
    expect(said(stored)).toEqual(["Hi", "Hello"]);
    for (const chat of chats) expectSame(chat, stored);
    expect(calls()).toBe(1);
  });

  it("stores other text under the same id, and is refused if its turn has expired", async () => {
    const { world, chatOf, read, go } = await start();
    go();
    await say(chatOf());
    await say(chatOf(), "Other");
    expect(said(await read())).toEqual(["Hi", "Hello", "Other", "Hello"]);
    const { model } = createPausingModel(["Again"]);
    const api = await startChatServer({ ...world, log: createInMemoryTurnLog() }, [clerk], model);
    const forgetful = chatOf({ transport: new DefaultChatTransport({ api }) });
    await say(forgetful);
    expect(forgetful.error?.message).toContain('"code":"changed"');
    expect(said(await read())).toEqual(["Hi", "Hello", "Other", "Hello"]);
  });
}
