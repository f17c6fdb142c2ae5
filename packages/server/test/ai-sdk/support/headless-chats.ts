import type { ModelProvider } from "@jaf/core";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  validateUIMessages,
} from "ai";
import { expect, it } from "vitest";
import { CUTS, randomEvents, startCuttingProxy } from "../../support/cutting-proxy.ts";
import type { HeadlessChat } from "../../support/headless-chat.ts";
import { ADDED, scenarioModel } from "../../support/scenario.ts";
import { createPausingModel } from "../../support/turn-fixtures.ts";
import type { OpenWorld } from "../../support/worlds.ts";
import { comparable } from "./comparable.ts";
import { expectSame, startChat, textOf } from "./started-chat.ts";

/** Tests a chat of `ai@6` without a user interface against a server with these stores. */
export function itServesHeadlessChats(openWorld: OpenWorld): void {
  it("streams turns with tools and loads them equally", async () => {
    const { chatOf, read } = await startChat(openWorld, [
      { text: "Let me see. ", toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
      { toolCalls: [{ name: "add", arguments: { a: -1, b: 2 } }] },
      "It is three.",
      "You're welcome.",
    ]);
    const chat = chatOf();
    await chat.sendMessage({ text: "What is 1 + 2?" });
    expectSame(chat, await read());
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual([
      ...["step-start", "text", "tool-add", "step-start", "tool-add", "step-start", "text"],
    ]);
    expect(chat.lastMessage?.parts[2]).toMatchObject({ state: "output-available", output: "3" });
    expect(chat.lastMessage?.parts[4]).toMatchObject({ state: "output-error" });
    const file = { type: "file", mediaType: "image/png", url: "data:image/png;base64,aGk=" } as const;
    await chat.sendMessage({ text: "Thanks", files: [file] });
    const stored = await read();
    expect(stored).toHaveLength(4);
    expectSame(chat, stored);
    await validateUIMessages({ messages: stored });
  });

  it("approves and denies calls", async () => {
    const { chatOf, read } = await startChat(openWorld, [
      {
        toolCalls: [
          { name: "pay", arguments: { amount: 5 } },
          { name: "pay", arguments: { amount: 500 } },
        ],
      },
      "Done.",
    ]);
    const chat = chatOf({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
    await chat.sendMessage({ text: "Pay." });
    const asked = await read();
    expectSame(chat, asked);
    const approvals = (asked[1]?.parts ?? []).flatMap((part) =>
      "approval" in part && part.approval !== undefined ? [part.approval.id] : [],
    );
    expect(approvals).toHaveLength(2);
    await chat.addToolApprovalResponse({ id: approvals[0] ?? "", approved: true });
    await chat.addToolApprovalResponse({ id: approvals[1] ?? "", approved: false, reason: "too dear" });
    await expect.poll(() => textOf(chat.lastMessage)).toEqual(["Done."]);
    await expect.poll(() => chat.status).toBe("ready");
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage?.parts.map((part) => ("state" in part ? part.state : part.type))).toEqual([
      ...["step-start", "output-available", "output-denied", "step-start", "done"],
    ]);
    expectSame(chat, await read());
  });

  it("approves calls that the model provider runs, one after the other", async () => {
    const asks = (...ids: string[]) => {
      const order = { type: "function", function: { name: "shop.order", arguments: "{}" } } as const;
      const tool_calls = ids.map((id) => ({ ...order, id, providerExecuted: true }));
      return { fields: { content: "So: ", tool_calls } };
    };
    const { chatOf, read } = await startChat(openWorld, [asks("m1"), asks("m2", "m3"), "Ordered."]);
    const chat = chatOf();
    await chat.sendMessage({ text: "Order." });
    for (const toolCallId of ["m1", "m2", "m3"]) {
      const part = chat.lastMessage?.parts.find(
        (each) => "toolCallId" in each && each.toolCallId === toolCallId,
      );
      const { approval } = part as { approval?: { id: string } };
      await chat.addToolApprovalResponse({ id: approval?.id ?? "", approved: true });
      await chat.sendMessage();
      expect(chat.error).toBeUndefined();
    }
    expect(textOf(chat.lastMessage)).toEqual(["So: ", "So: ", "Ordered."]);
    expectSame(chat, await read());
  });

  it("sends another message while a call waits", async () => {
    const { chatOf, read } = await startChat(openWorld, [
      { toolCalls: [{ name: "pay", arguments: { amount: 5 } }] },
      "Fine.",
      "Fine again.",
    ]);
    const chat = chatOf();
    await chat.sendMessage({ text: "Pay." });
    await chat.sendMessage({ text: "Never mind." });
    expect(chat.messages).toHaveLength(4);
    expect(textOf(chat.lastMessage)).toEqual(["Fine."]);
    const stored = await read();
    expect(stored.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
    expect(comparable(stored[3]?.parts ?? [])).toEqual(comparable(chat.lastMessage?.parts ?? []));
    await chat.regenerate();
    expect(textOf(chat.lastMessage)).toEqual(["Fine again."]);
    expect((await read()).map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
  });

  it("runs tools of the client", async () => {
    const { chatOf, read } = await startChat(openWorld, [
      { toolCalls: [{ name: "locate", arguments: { exact: true } }] },
      "In Pune.",
    ]);
    const chat: HeadlessChat = chatOf({
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolCallId, toolName } }) => {
        void chat.addToolOutput({ tool: toolName as never, toolCallId, output: { city: "Pune" } as never });
      },
    });
    await chat.sendMessage({ text: "Where am I?" });
    await expect.poll(() => textOf(chat.lastMessage)).toEqual(["In Pune."]);
    await expect.poll(() => chat.status).toBe("ready");
    const stored = await read();
    expect(stored[1]?.parts[1]).toMatchObject({ state: "output-available", output: '{"city":"Pune"}' });
    expectSame(chat, stored);
  });

  it("regenerates replies and edits messages", async () => {
    const { chatOf, read } = await startChat(openWorld, ["One.", "Two.", "Two again.", "Three.", "Four."]);
    const chat = chatOf();
    await chat.sendMessage({ text: "1" });
    await chat.sendMessage({ text: "2" });
    await chat.regenerate();
    expect(textOf(chat.lastMessage)).toEqual(["Two again."]);
    expectSame(chat, await read());
    await chat.sendMessage({ text: "3", messageId: chat.messages[0]?.id ?? "" });
    expect(chat.messages.map((message) => textOf(message))).toEqual([["3"], ["Three."]]);
    expectSame(chat, await read());
    // Another client that has loaded the chat.
    const other = chatOf({ messages: await read() });
    await other.regenerate({ messageId: other.lastMessage?.id ?? "" });
    expect(textOf(other.lastMessage)).toEqual(["Four."]);
    expectSame(other, await read());
  });

  it("keeps the text so far when the turn is stopped", async () => {
    const { model } = createPausingModel(["So far, ", "so good"]);
    const { api, chatOf, read } = await startChat(openWorld, model);
    const chat = chatOf();
    const sending = chat.sendMessage({ text: "Tell me." });
    await expect.poll(() => textOf(chat.lastMessage)).toEqual(["So far, so good"]);
    const stop = async () => (await fetch(`${api}/c%2F1/stop`, { method: "POST" })).json();
    expect(await stop()).toMatchObject({ data: { stopping: true } });
    // Clients that resume meanwhile get the end of this turn or nothing, and no other turn.
    const other = chatOf({ messages: await read() });
    await Promise.all([sending, other.resumeStream()]);
    expect(chat.status).toBe("ready");
    expect(textOf(chat.lastMessage)).toEqual(["So far, so good"]);
    expect(other.messages.length).toBeLessThanOrEqual(2);
    expectSame(chat, await read());
    expect(await stop()).toMatchObject({ data: { stopping: false } });
  });

  it("doesn't stop a turn by leaving, and resumes it later", async () => {
    const { model, go, calls } = createPausingModel(["Hel"], ["lo"]);
    const { chatOf, read } = await startChat(openWorld, model);
    const chat = chatOf();
    const sending = chat.sendMessage({ text: "Hi" });
    await expect.poll(() => textOf(chat.lastMessage)).toEqual(["Hel"]);
    await chat.stop();
    await sending;
    // One tab still has the incomplete message, another has loaded the stored messages.
    const other = chatOf({ messages: await read() });
    const resumed = [chat.resumeStream(), other.resumeStream()];
    await expect.poll(() => textOf(other.lastMessage)).toEqual(["Hel"]);
    go();
    await Promise.all(resumed);
    const stored = await read();
    expect(textOf(stored[1])).toEqual(["Hello"]);
    expectSame(chat, stored);
    expectSame(other, stored);
    expect(calls()).toBe(1);
    // Idle now: there is nothing to resume.
    await chat.resumeStream();
    expect(chat.status).toBe("ready");
    expectSame(chat, stored);
  });

  it("gets every part exactly once after cuts at twenty random events", { timeout: 120_000 }, async () => {
    const { api, chatOf, read } = await startChat(openWorld, scenarioModel);
    const proxy = await startCuttingProxy(new URL(api).origin, (method) =>
      method === "POST" ? randomEvents(1, 18) : undefined,
    );
    for (let round = 0; round < CUTS; round++) {
      const id = `c/${round}`;
      const chat = chatOf({ id, transport: new DefaultChatTransport({ api: `${proxy.url}/ai-sdk/chat` }) });
      await chat.sendMessage({ text: "Add." });
      while (chat.status === "error") await chat.resumeStream();
      await expect.poll(async () => textOf((await read(id))[1])).toEqual(ADDED);
      const stored = await read(id);
      // If the turn has ended, there is nothing to resume: the client loads the stored messages.
      const isCutOff = chat.lastMessage?.parts.some((part) => "state" in part && part.state === "streaming");
      if (isCutOff || textOf(chat.lastMessage)?.length !== ADDED.length || chat.messages.length !== 2)
        chat.messages = stored;
      expectSame(chat, stored);
    }
    expect(proxy.cuts()).toBe(CUTS);
  });

  it("retracts the text of a failed model call", async () => {
    let attempts = 0;
    const gate = createPausingModel(["Hel"]);
    const model: ModelProvider<unknown> = {
      ...gate.model,
      getCompletionStream: async function* (...request) {
        attempts += 1;
        if (attempts === 1) {
          yield { type: "text_delta", text: "The sky is gre" };
          await new Promise((resolve) => setTimeout(resolve, 200));
          throw Object.assign(new Error("overloaded"), { status: 529 });
        }
        for await (const chunk of gate.model.getCompletionStream?.(...request) ?? []) yield chunk;
      },
    };
    const { chatOf, read } = await startChat(openWorld, model);
    const chat = chatOf();
    const sending = chat.sendMessage({ text: "?" });
    await expect.poll(() => textOf(chat.lastMessage)).toEqual(["The sky is gre", "Hel"]);
    const other = chatOf({ messages: await read() });
    const resumed = other.resumeStream();
    await expect.poll(() => textOf(other.lastMessage)).toEqual(["Hel"]);
    gate.go();
    await Promise.all([sending, resumed]);
    const stored = await read();
    expect(textOf(stored[1])).toEqual(["Hel"]);
    expectSame(chat, stored);
    expectSame(other, stored);
    expect(other.lastMessage?.metadata).toBeUndefined();
  });

  it("streams the whole message that continues after an approval", async () => {
    const gate = createPausingModel(["Paid, ", "and"], [" done."]);
    let calls = 0;
    const model: ModelProvider<unknown> = {
      ...gate.model,
      getCompletionStream: async function* (...request) {
        calls += 1;
        if (calls === 1) {
          yield { type: "text_delta", text: "One moment." };
          yield { type: "tool_call_delta", index: 0, id: "c1", name: "pay", arguments: '{"amount":5}' };
          yield { type: "done" };
        } else {
          for await (const chunk of gate.model.getCompletionStream?.(...request) ?? []) yield chunk;
        }
      },
    };
    const { chatOf, read } = await startChat(openWorld, model);
    const chat = chatOf({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
    await chat.sendMessage({ text: "Pay." });
    const [asked] = (chat.lastMessage?.parts ?? []).flatMap((part) =>
      "approval" in part ? [part.approval] : [],
    );
    await chat.addToolApprovalResponse({ id: asked?.id ?? "", approved: true });
    await expect.poll(() => textOf(chat.lastMessage)).toEqual(["One moment.", "Paid, and"]);
    // One client has only the earlier messages, one nothing, and one the current messages.
    const others = [
      chatOf({ messages: (await read()).slice(0, 1) }),
      chatOf(),
      chatOf({ messages: await read() }),
    ];
    const resumed = others.map((other) => other.resumeStream());
    for (const other of others) await expect.poll(() => textOf(other.lastMessage)?.length).toBe(2);
    gate.go();
    await Promise.all(resumed);
    await expect.poll(() => chat.status).toBe("ready");
    const stored = await read();
    expect(textOf(stored[1])).toEqual(["One moment.", "Paid, and done."]);
    expectSame(chat, stored);
    for (const other of others) {
      expect(other.messages.filter(({ role }) => role === "assistant")).toHaveLength(1);
      expect(comparable(other.lastMessage?.parts ?? [])).toEqual(comparable(stored[1]?.parts ?? []));
    }
  });
}
