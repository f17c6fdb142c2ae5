import { createFailure, createMemoryConnectionError } from "@jaf/memory";
import { describe, expect, test } from "vitest";
import {
  ask,
  begin,
  createPausingModel,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
  type World,
} from "../support/turn-fixtures.ts";

const textIn = async (world: World, turn: { conversationId: string; turnId: string }): Promise<string> => {
  const page = await world.log.read({ conversationId: turn.conversationId, turnId: turn.turnId });
  const events = page.success ? (page.data?.events ?? []) : [];
  return events
    .map((text) => JSON.parse(text) as { type: string; text?: string })
    .map(({ type, text }) => (type === "text" ? text : ""))
    .join("");
};

describe("Stopping a turn", () => {
  test("keeps the text so far once, even if the stop is repeated", async () => {
    const world = createWorld();
    const { model } = createPausingModel(["One ", "two "]);
    const service = createTestService(world, model);
    const turn = await begin(service, ask("Count."));
    await expect.poll(() => textIn(world, turn)).toBe("One two ");
    expect(await Promise.all([service.stop(turn), service.stop(turn)])).toEqual([true, true]);
    const end = await turn.ended;
    expect(end).toMatchObject({ status: "stopped" });
    const stored = await messagesOf(world, turn.conversationId);
    expect(stored).toEqual([
      { role: "user", content: "Count." },
      { role: "assistant", content: "One two " },
    ]);
    const events = await eventsOf(service, turn);
    expect(events.map(({ event }) => event).filter(({ type }) => type === "message")).toEqual([
      { type: "message", agentName: "clerk", message: stored[1], stopped: true },
    ]);
    expect(await service.stop(turn)).toBe(false);
    const next = await begin(
      createTestService(world, createScriptedModel(["Three."])),
      ask("Go on.", { target: { conversationId: turn.conversationId } }),
    );
    expect((await next.ended).status).toBe("completed");
    expect(await messagesOf(world, turn.conversationId)).toHaveLength(4);
  });

  test("works from another service on the same log", async () => {
    const world = createWorld();
    const { model } = createPausingModel(["One "]);
    const service = createTestService(world, model);
    const other = createTestService(world, model);
    const turn = await begin(service, ask("Count."));
    await expect.poll(() => textIn(world, turn)).toBe("One ");
    expect(await other.stop(turn)).toBe(true);
    expect((await turn.ended).status).toBe("stopped");
    expect(await messagesOf(world, turn.conversationId)).toHaveLength(2);
    expect(await eventsOf(other, turn)).toEqual(await eventsOf(service, turn));
  });

  test("stores nothing if there is no text yet", async () => {
    const world = createWorld();
    const { model, calls } = createPausingModel([]);
    const service = createTestService(world, model);
    const turn = await begin(service, ask("Count."));
    await expect.poll(calls).toBe(1);
    await service.stop(turn);
    expect((await turn.ended).status).toBe("stopped");
    expect(await messagesOf(world, turn.conversationId)).toHaveLength(1);
    expect((await eventsOf(service, turn)).map(({ event }) => event.type)).not.toContain("message");
  });

  test("keeps no text that guardrails hold back", async () => {
    const world = createWorld();
    const { model, calls } = createPausingModel(["Secret "]);
    const service = createTestService(world, model, {
      config: {
        modelProvider: model,
        memory: { provider: world.provider, autoStore: true },
        finalOutputGuardrails: [() => ({ isValid: true })],
      },
    });
    const turn = await begin(service, ask("Count."));
    await expect.poll(calls).toBe(1);
    await service.stop(turn);
    await turn.ended;
    expect(await messagesOf(world, turn.conversationId)).toHaveLength(1);
  });

  test("leaves one reply if it happens at the end of the turn", async () => {
    for (let delay = 0; delay < 12; delay++) {
      const world = createWorld();
      const { model, go } = createPausingModel(["One "], ["two."]);
      const service = createTestService(world, model, { gatherMs: 1 });
      const turn = await begin(service, ask("Count."));
      await expect.poll(() => textIn(world, turn)).toBe("One ");
      go();
      for (let tick = 0; tick < delay; tick++) await Promise.resolve();
      const [, end] = await Promise.all([service.stop(turn), turn.ended]);
      expect(["stopped", "completed"]).toContain(end.status);
      const stored = await messagesOf(world, turn.conversationId);
      expect(stored).toHaveLength(2);
      const told = (await eventsOf(service, turn)).flatMap(({ event }) =>
        event.type === "message" ? [event.message] : [],
      );
      expect(told).toEqual(stored.slice(1));
    }
  });

  test("shows a reply that is stored, even if the answer to its write was lost", async () => {
    const world = createWorld();
    const service = createTestService(
      {
        ...world,
        provider: {
          ...world.provider,
          appendMessages: async (...write) => {
            const written = await world.provider.appendMessages(...write);
            const [id, messages] = write;
            if (!messages.some(({ tool_calls: calls }) => calls !== undefined)) return written;
            const turns = await world.log.turnsOf(id, 1);
            const turnId = turns.success ? turns.data[0]?.turnId : undefined;
            await service.stop({ conversationId: id, turnId: turnId ?? "" });
            return createFailure(createMemoryConnectionError("test"));
          },
        },
      },
      createScriptedModel([{ text: "Let me see.", toolCalls: [{ name: "look" }] }]),
    );
    const turn = await begin(service, ask("Hi."));
    expect((await turn.ended).status).toBe("stopped");
    const stored = await messagesOf(world, turn.conversationId);
    expect(stored).toMatchObject([{ role: "user" }, { content: "Let me see." }]);
    const events = (await eventsOf(service, turn)).map(({ event }) => event);
    expect(events.flatMap((event) => (event.type === "message" ? [event.message] : []))).toEqual([stored[1]]);
  });
});
