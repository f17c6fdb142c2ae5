import { fromUIMessages } from "@jaf/ai-sdk";
import {
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
  validateUIMessages,
} from "ai";
import { expect, it } from "vitest";
import { agentTree, DONE } from "../../support/agent-tree.ts";
import type { OpenWorld } from "../../support/worlds.ts";
import type { HeadlessChat } from "./headless-chat.ts";
import { expectSame, startChat, textOf } from "./started-chat.ts";

const callsIn = (message: UIMessage | undefined): readonly string[] =>
  (message?.parts ?? [])
    .filter(isToolUIPart)
    .map(({ type, toolCallId, state }) => `${type} ${toolCallId} ${state}`);

const ASKED = [
  "tool-act call_1 approval-requested",
  "tool-expert call_2 output-available",
  "tool-act call_2/call_1 approval-requested",
  "tool-act call_2/call_2/call_1 approval-requested",
];

async function respond(chat: HeadlessChat, toolCallId: string, approved = true): Promise<void> {
  const part = chat.lastMessage?.parts.filter(isToolUIPart).find((each) => each.toolCallId === toolCallId);
  await chat.addToolApprovalResponse({ id: part?.approval?.id ?? "", approved });
}

const settled = async (chat: HeadlessChat): Promise<void> => {
  await expect.poll(() => chat.status).toBe("ready");
  expect(chat.error).toBeUndefined();
};

/** Tests a chat of `ai@6` with agents that run as tools. */
export function itServesChatsWithAgents(openWorld: OpenWorld): void {
  it("asks for the approvals of inner agents, and goes on once all are answered", async () => {
    const { agent, model, executed } = agentTree();
    const { chatOf, read } = await startChat(openWorld, model, agent);
    const chat = chatOf({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
    await chat.sendMessage({ text: "work" });
    expect(callsIn(chat.lastMessage)).toEqual(ASKED);
    const stored = await read();
    expectSame(chat, stored);
    await validateUIMessages({ messages: stored });
    await respond(chat, "call_2/call_1");
    await respond(chat, "call_2/call_2/call_1");
    expect(executed).toEqual([]);
    await respond(chat, "call_1");
    await expect.poll(() => textOf(chat.lastMessage)).toEqual([DONE]);
    await settled(chat);
    expect(executed.toSorted()).toEqual(["expert: work", "front: work", "intern: work"]);
    const done = ["call_1", "call_2", "call_2/call_1", "call_2/call_2/call_1"];
    expect(callsIn(chat.lastMessage).map((call) => call.split(" ").slice(1).join(" "))).toEqual(
      done.map((id) => `${id} output-available`),
    );
    expect(chat.messages.map(({ id }) => id)).toEqual((await read()).map(({ id }) => id));
    // The copy of the page, with the parts of the inner agents, is the stored conversation.
    const copy = fromUIMessages(chat.messages);
    expect(copy.success && copy.data.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "tool", "tool", "assistant"],
    ]);
    await chat.sendMessage({ text: "again" });
    await settled(chat);
    expect(callsIn(chat.lastMessage)).toEqual(ASKED);
  });

  it("asks again after a reload, and for what an inner agent asks next", async () => {
    const { agent, model, executed } = agentTree();
    const { chatOf, read } = await startChat(openWorld, model, agent);
    await chatOf().sendMessage({ text: "work" });
    const reloaded = chatOf({ messages: await read() });
    expect(callsIn(reloaded.lastMessage)).toEqual(ASKED);
    await respond(reloaded, "call_2/call_2/call_1");
    await reloaded.sendMessage();
    expect(reloaded.error).toBeUndefined();
    expect(executed).toEqual(["intern: work"]);
    expect(callsIn(reloaded.lastMessage)).toEqual([
      ...ASKED.slice(0, 3),
      "tool-act call_2/call_2/call_1 output-available",
    ]);
    const again = chatOf({ messages: await read() });
    expect(callsIn(again.lastMessage)).toEqual(ASKED.slice(0, 3));
    await respond(again, "call_2/call_1", false);
    await respond(again, "call_1");
    await again.sendMessage();
    expect(callsIn(again.lastMessage)).toEqual([
      "tool-act call_1 output-available",
      "tool-expert call_2 output-available",
      "tool-act call_2/call_1 output-denied",
    ]);
    expect(textOf(again.lastMessage)?.join()).toContain("intern did work");
    expect(again.lastMessage?.metadata).toBeUndefined();
    expect(executed).toEqual(["intern: work", "front: work"]);
    const [, reply] = await read();
    expect(callsIn(reply)).toEqual([
      "tool-act call_1 output-available",
      "tool-expert call_2 output-available",
    ]);
  });

  it("runs the tools of inner agents at the client", async () => {
    const { agent, model } = agentTree({ asking: [], atClient: ["expert", "intern"] });
    const { chatOf, read } = await startChat(openWorld, model, agent);
    const called: string[] = [];
    const chat: HeadlessChat = chatOf({
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolCallId, toolName } }) => {
        called.push(toolCallId);
        const output = toolCallId === "call_2/call_1" ? "expert did work" : "intern did work";
        void chat.addToolOutput({ tool: toolName as never, toolCallId, output: output as never });
      },
    });
    await chat.sendMessage({ text: "work" });
    await expect.poll(() => textOf(chat.lastMessage)).toEqual([DONE]);
    await settled(chat);
    expect(called.filter((id) => id.includes("/"))).toEqual(["call_2/call_1", "call_2/call_2/call_1"]);
    expect((await read()).map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
  });
}
