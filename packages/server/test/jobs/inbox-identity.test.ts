import { setImmediate } from "node:timers/promises";
import { createTool, runInbox } from "@jaf/core";
import { createInMemoryInbox } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Identity, MessageRequest } from "../../src/turns/turn-service.ts";
import { ask, begin, clerk, createScriptedModel, createTestService } from "../support/turn-fixtures.ts";
import { createWorld } from "../support/worlds.ts";

type From = MessageRequest["from"];

/** Which model call got which last message, with which agent and for which role. */
interface Call {
  readonly role: unknown;
  readonly agent: string;
  readonly said: string;
}

/** An agent that calls its tool if a message says "look". `during` runs meanwhile. */
async function open({ during = async () => {} }: { readonly during?: () => Promise<void> } = {}) {
  const world = createWorld();
  const inbox = createInMemoryInbox();
  const calls: Call[] = [];
  const modelProvider = createScriptedModel<unknown>(({ state, agent }) => {
    const { role } = state.context as { readonly role: unknown };
    const last = state.messages.at(-1);
    calls.push({ role, agent: agent.name, said: last === undefined ? "" : shortened(messageText(last)) });
    const looks = last?.role === "user" && messageText(last).includes("look");
    return looks ? { toolCalls: [{ name: "look" }] } : "Done.";
  });
  const look = createTool({
    ...{ name: "look", description: "Looks", parameters: z.object({}) },
    execute: async () => {
      await during();
      return "seen";
    },
  });
  const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
  const service = createTestService(world, modelProvider, {
    context: ({ role }) => ({ role }),
    agents: [clerk, { ...clerk, name: "other" }].map((agent) => ({ ...agent, tools: [look] })),
    config: { modelProvider, memory },
  });
  const first = await begin(service, ask("Hi.", { identity: as("guest") }));
  await first.ended;
  // The service looks into the inbox after each turn, which must not meet the first message.
  await setImmediate();
  const { conversationId } = first;
  /** Puts a message into the inbox as a process that died afterwards. */
  const leave = (message: string, role: string, from?: From) =>
    inbox.put({
      ...{ conversationId, userId: "ada", key: message },
      content: JSON.stringify({ format: 1, content: message, from, identity: as(role), agentName: "other" }),
    });
  const send = (message: string, role: string, from?: "timer" | "work") =>
    service.send?.({
      ...{ identity: as(role), conversationId, agentName: "clerk", key: message, message },
      ...(from && { from }),
    });
  calls.length = 0;
  return { inbox, service, conversationId, calls, leave, send };
}

const as = (role: string): Identity => ({ userId: "ada", role });

const shortened = (text: string): string => text.replace(/^<(\w+)>.*\n\n(.*)\n<.*$/s, "$1: $2");

test("a turn runs for the identity and with the agent of the user's newest message", async () => {
  const { calls, leave, send } = await open();
  await leave("Drink!", "admin", "timer");
  await leave("Hello.", "owner");
  expect(await send("Delete all accounts.", "guest")).toMatchObject({ sent: true });
  await expect.poll(() => calls).toEqual([{ role: "guest", agent: "clerk", said: "Delete all accounts." }]);
});

test("a timer's identity counts if only timers and work have sent something", async () => {
  const { calls, leave, send } = await open();
  await leave("Drink!", "admin", "timer");
  await send("Exported.", "owner", "work");
  await expect.poll(() => calls).toEqual([{ role: "owner", agent: "clerk", said: "work: Exported." }]);
});

test("a running turn takes timers' messages, and leaves what the user sends with another identity to the next", async () => {
  let during = async () => {};
  const { inbox, calls, send } = await open({ during: () => during() });
  during = async () => {
    await send("One.", "admin");
    await send("Drink!", "owner", "timer");
    await send("Delete all accounts.", "guest");
    await send("Sleep!", "owner", "timer");
  };
  await send("look", "admin", "timer");
  await expect
    .poll(() => calls)
    .toEqual([
      { role: "admin", agent: "clerk", said: "timer: look" },
      { role: "admin", agent: "clerk", said: "timer: Drink!" },
      { role: "guest", agent: "clerk", said: "timer: Sleep!" },
    ]);
  await expect.poll(() => inbox.waiting()).toMatchObject({ data: [] });
});

test("a running turn takes all before a message that was sent with its identity", async () => {
  let during = async () => {};
  const { calls, send } = await open({ during: () => during() });
  during = async () => {
    await send("One.", "guest");
    await send("Two.", "admin");
  };
  await send("look", "admin");
  await expect
    .poll(() => calls)
    .toEqual([
      { role: "admin", agent: "clerk", said: "look" },
      { role: "admin", agent: "clerk", said: "Two." },
    ]);
});

test("a running turn drops the entry of another user, and goes on with the next one", async () => {
  let during = async () => {};
  const { inbox, conversationId, calls, send } = await open({ during: () => during() });
  during = async () => {
    const content = { format: 1, content: "Eve's.", identity: { userId: "eve" }, agentName: "clerk" };
    await inbox.put({ conversationId, userId: "eve", key: "e", content: JSON.stringify(content) });
    await send("Two.", "admin");
  };
  await send("look", "admin");
  await expect.poll(() => calls.map(({ said }) => said)).toEqual(["look", "Two."]);
  await expect.poll(() => inbox.waiting()).toMatchObject({ data: [] });
});

test.each([
  ["work", [{ type: "text", text: "Hi." }]],
  ["timer", [{ type: "text", text: "Hi." }]],
  ["robot", "Hi."],
  ["user", 7],
])("a message from %s with the content %j is refused", async (from, message) => {
  const { inbox, service, conversationId } = await open();
  const request = { identity: as("guest"), conversationId, agentName: "clerk", key: "k", from, message };
  expect(await service.send?.(request as unknown as MessageRequest)).toMatchObject({
    ...{ sent: false, refusal: { reason: "invalid" } },
  });
  expect(await inbox.waiting()).toMatchObject({ data: [] });
});
