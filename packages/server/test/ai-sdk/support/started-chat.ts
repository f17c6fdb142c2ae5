import { type Agent, createTool, type ModelProvider } from "@jaf/core";
import { type ChatInit, DefaultChatTransport, type UIMessage } from "ai";
import { expect } from "vitest";
import * as z from "zod";
import { visibleParts } from "../../../src/client/ai-sdk.ts";
import { clerk, createScriptedModel } from "../../support/turn-fixtures.ts";
import type { OpenWorld } from "../../support/worlds.ts";
import { startChatServer } from "./chat-server.ts";
import { comparable } from "./comparable.ts";
import { HeadlessChat } from "./headless-chat.ts";

const add = createTool({
  name: "add",
  description: "Adds",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => {
    if (a < 0) throw new Error("no negative numbers");
    return String(a + b);
  },
});
const pay = createTool({
  name: "pay",
  description: "Pays",
  parameters: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => `paid ${amount}`,
});
const locate = createTool({
  name: "locate",
  description: "Where the user is",
  parameters: z.object({ exact: z.boolean() }),
});
const agent: Agent<unknown, string> = { ...clerk, tools: [add, pay, locate] };

type Steps = Parameters<typeof createScriptedModel>[0];
type Model = ModelProvider<unknown>;

/** A server and its clients. */
export async function startChat(
  openWorld: OpenWorld,
  stepsOrModel: Steps | Model,
  served: Agent<unknown, string> = agent,
) {
  const world = await openWorld();
  const model = "getCompletion" in stepsOrModel ? stepsOrModel : createScriptedModel(stepsOrModel);
  const api = await startChatServer(world, [served], model);
  const chatOf = (init: Partial<ChatInit<UIMessage>> = {}) =>
    new HeadlessChat({ id: "c/1", transport: new DefaultChatTransport({ api }), ...init });
  const read = async (chatId = "c/1", user = "ada"): Promise<UIMessage[]> => {
    const response = await fetch(`${api}/${encodeURIComponent(chatId)}/messages`, {
      headers: { "x-user": user },
    });
    expect(response.status).toBe(200);
    return z
      .object({ data: z.object({ messages: z.array(z.custom<UIMessage>()) }) })
      .parse(await response.json()).data.messages;
  };
  return { api, world, chatOf, read };
}

/** Expects that the client holds the stored messages with the same ids. */
export function expectSame(chat: HeadlessChat, stored: readonly UIMessage[]): void {
  expect(chat.error).toBeUndefined();
  expect(chat.messages.map(({ id, role }) => [id, role])).toEqual(stored.map(({ id, role }) => [id, role]));
  for (const [index, message] of stored.entries()) {
    const held = chat.messages[index];
    expect(comparable(held === undefined ? [] : visibleParts(held))).toEqual(comparable(message.parts));
  }
}

export const textOf = (message: UIMessage | undefined) =>
  message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
