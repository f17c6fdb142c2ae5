import { createTool } from "@jaf/core";
import type { ScriptedStep } from "@jaf/core/testing";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  ask,
  begin,
  clerk,
  createPausingModel,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
} from "../support/turn-fixtures.ts";

const add = createTool({
  name: "add",
  description: "Adds",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});

describe("A turn", () => {
  test("streams a reply with a tool and stores the same", async () => {
    const world = createWorld();
    const model = createScriptedModel([
      { text: "Let me see. ", toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
      "It is three.",
    ]);
    const service = createTestService(world, model, { agents: [{ ...clerk, tools: [add] }] });
    const turn = await begin(service, ask("What is 1 + 2?"));
    const events = await eventsOf(service, turn);
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index));
    expect(events.map(({ event }) => event.type).filter((type) => type !== "context")).toEqual([
      "turn_start",
      "text",
      "tool_arguments",
      "model_call",
      "message",
      "tool_start",
      "tool_end",
      "text",
      "model_call",
      "message",
      "turn_end",
    ]);
    const end = await turn.ended;
    expect(end.status).toBe("completed");
    expect(events.at(-1)?.event).toEqual(end);
    const stored = await messagesOf(world, turn.conversationId);
    expect(stored.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    const told = events.flatMap(({ event }) => (event.type === "message" ? [event.message] : []));
    expect(told).toEqual(stored.filter(({ role }) => role === "assistant"));
    const page = await world.log.read({ conversationId: turn.conversationId, limit: 1 });
    const record = JSON.parse((page.success && page.data?.turn.record) || "null");
    expect(record).toMatchObject({
      agentName: "clerk",
      status: "completed",
      positions: { from: 0, to: 4 },
      instructions: ["Be brief."],
      calls: [
        { instructions: 0, manifest: { sent: 1 } },
        { instructions: 0, manifest: { sent: 3 } },
      ],
    });
    expect(service.running()).toBe(0);
  });

  test("is the same for readers from any event, even in another service", async () => {
    const world = createWorld();
    const { model, go } = createPausingModel(["One ", "two "], ["three ", "four."]);
    const service = createTestService(world, model);
    const other = createTestService(world, model);
    const turn = await begin(service, ask("Count."));
    const early = [eventsOf(service, turn), eventsOf(other, turn), eventsOf(service, turn, 2)];
    await expect.poll(async () => (await world.log.read(turn)).success).toBe(true);
    go();
    const [first = [], second, third] = await Promise.all(early);
    expect(second).toEqual(first);
    expect(third).toEqual(first.slice(2));
    for (const from of first.map(({ number }) => number)) {
      expect(await eventsOf(service, turn, from)).toEqual(first.slice(from));
      expect(await eventsOf(other, turn, from)).toEqual(first.slice(from));
    }
    expect(await eventsOf(service, turn, first.length + 5)).toEqual([]);
  });

  test("continues the user's conversation", async () => {
    const world = createWorld();
    const model = createScriptedModel(["Hello.", "Again.", "Once more."]);
    const service = createTestService(world, model);
    const first = await begin(service, ask("Hi.", { target: { newId: "mine", title: "Greetings" } }));
    expect((await first.ended).version).toBeGreaterThan(0);
    const second = await begin(service, ask("Hi again.", { target: { conversationId: "mine" } }));
    await second.ended;
    const third = await begin(service, ask("And again.", { target: { newId: "mine" } }));
    await third.ended;
    expect(await messagesOf(world, "mine")).toHaveLength(6);
    expect(first.conversationId).toBe("mine");
    model.assertDone();
  });

  test("gets its own reply in each of 64 concurrent conversations", async () => {
    const world = createWorld();
    const model = createScriptedModel(
      Array.from(
        { length: 64 },
        (): ScriptedStep<unknown> =>
          ({ state }) =>
            `You said ${state.messages.at(-1)?.content}`,
      ),
    );
    const service = createTestService(world, model);
    const turns = await Promise.all(Array.from({ length: 64 }, (_, n) => begin(service, ask(`number ${n}`))));
    const all = await Promise.all(turns.map((turn) => eventsOf(service, turn)));
    for (const [n, events] of all.entries()) {
      const said = events.flatMap(({ event }) => (event.type === "message" ? [event.message.content] : []));
      expect(said).toEqual([`You said number ${n}`]);
    }
  });
});
