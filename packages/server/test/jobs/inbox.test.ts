import { setImmediate } from "node:timers/promises";
import { runInbox } from "@jaf/core";
import { createInMemoryInbox } from "@jaf/memory";
import { expect, test } from "vitest";
import {
  ask,
  begin,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
} from "../support/turn-fixtures.ts";

async function startWithInbox(replies: readonly string[], context: () => object = () => ({})) {
  const world = createWorld();
  const inbox = createInMemoryInbox();
  const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
  const modelProvider = createScriptedModel<unknown>(replies);
  const service = createTestService(world, modelProvider, { context, config: { modelProvider, memory } });
  const { conversationId, ended } = await begin(service, ask("Hi."));
  await ended;
  // The service looks into the inbox after each turn, which must not meet the first message.
  await setImmediate();
  const send = (message: Parameters<NonNullable<typeof service.send>>[0]["message"], key: string) =>
    service.send?.({ identity: { userId: "ada" }, conversationId, agentName: "clerk", message, key });
  const stored = async () => {
    const found = await world.provider.getConversation(conversationId);
    return (found.success && found.data?.messages) || [];
  };
  const events = async (turnId: string) =>
    (await eventsOf(service, { conversationId, turnId })).map(({ event }) => event);
  return { send, stored, events };
}

test("a sent file is stored as it was given", async () => {
  const { send, stored } = await startWithInbox(["Hello.", "A picture."]);
  await send([{ type: "media", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) }], "m-2");
  await expect.poll(async () => (await stored()).length).toBe(4);
  expect((await stored())[2]).toMatchObject({ role: "user", content: [{ type: "media", data: "AQID" }] });
});

test("the next message begins a turn with both, if the turn of the one before couldn't begin", async () => {
  let isFailing = false;
  const { send, stored } = await startWithInbox(["Hello.", "Fine."], () => {
    if (isFailing) throw new Error("the context failed");
    return {};
  });
  isFailing = true;
  expect(await send("One.", "m-2")).toEqual({ sent: true });
  isFailing = false;
  expect(await send("Two.", "m-3")).toMatchObject({ sent: true, turnId: expect.any(String) });
  await expect
    .poll(async () => (await stored()).map(({ content }) => content))
    .toEqual(["Hi.", "Hello.", "One.", "Two.", "Fine."]);
});

test("a turn tells what it takes, at its beginning, too", async () => {
  const { send, events } = await startWithInbox(["Hello.", "Fine."]);
  const sent = await send("One.", "m-2");
  const turn = sent?.sent === true ? sent.turnId : undefined;
  expect(
    (await events(turn ?? "")).filter(({ type }) => type !== "context" && type !== "model_call"),
  ).toMatchObject([
    { type: "turn_start", position: 2 },
    { type: "input", messages: [{ role: "user", content: "One." }] },
    { type: "text", text: "Fine." },
    { type: "message" },
    { type: "turn_end", status: "completed" },
  ]);
});
