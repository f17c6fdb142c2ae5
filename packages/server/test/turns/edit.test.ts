import { describe, expect, test } from "vitest";
import {
  ask,
  begin,
  createScriptedModel,
  createTestService,
  createWorld,
  messagesOf,
} from "./support/turn-fixtures.ts";

describe("An edit", () => {
  test("replaces the message and all after it, and answers anew", async () => {
    const world = createWorld();
    const model = createScriptedModel<unknown>([
      "Ada.",
      "Blue.",
      ({ state }) => `You said: ${state.messages.map(({ content }) => content).join("|")}`,
    ]);
    const service = createTestService(world, model);
    const target = {
      conversationId: (await begin(service, ask("Who?", { target: { newId: "c" } }))).conversationId,
    };
    await expect.poll(() => service.running()).toBe(0);
    const second = await (await begin(service, ask("Which?", { target }))).ended;
    const version = second.version ?? 0;
    const edited = await begin(service, ask("What?", { target, edit: { position: 2, version } }));
    const end = await edited.ended;
    expect(end.status).toBe("completed");
    expect(end.version).toBeGreaterThan(version);
    expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual([
      "Who?",
      "Ada.",
      "What?",
      "You said: Who?|Ada.|What?",
    ]);
    const page = await world.log.read(edited);
    const record = JSON.parse((page.success && page.data?.turn.record) || "null");
    expect(record.positions).toEqual({ from: 2, to: 4 });
  });

  test("is refused for a version that isn't the conversation's, and where no user speaks", async () => {
    const world = createWorld();
    const model = createScriptedModel(["Ada.", "Blue.", "Again."]);
    const service = createTestService(world, model);
    const target = { conversationId: "c" };
    const first = await (await begin(service, ask("Who?", { target: { newId: "c" } }))).ended;
    const stale = first.version ?? 0;
    const { version = 0 } = await (await begin(service, ask("Which?", { target }))).ended;
    const before = JSON.stringify(await messagesOf(world, "c"));
    const refused = async (edit: { position: number; version: number }) => {
      const started = await service.start(ask("What?", { target, edit }));
      return started.started ? undefined : started.refusal.reason;
    };
    expect(await refused({ position: 0, version: stale })).toBe("changed");
    expect(await refused({ position: 1, version })).toBe("invalid");
    expect(await refused({ position: 4, version })).toBe("invalid");
    expect(await refused({ position: -1, version })).toBe("invalid");
    expect(await refused({ position: 0.5, version })).toBe("invalid");
    expect(JSON.stringify(await messagesOf(world, "c"))).toBe(before);
    const turns = await world.log.turnsOf("c");
    expect(turns.success && turns.data).toHaveLength(2);
    // Regenerated: the same message again.
    const again = await begin(service, ask("Who?", { target, edit: { position: 0, version } }));
    await again.ended;
    expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual(["Who?", "Again."]);
  });

  test("of two at once one wins", async () => {
    const world = createWorld();
    const model = createScriptedModel(["Ada.", "Blue.", "Red."]);
    const service = createTestService(world, model);
    const other = createTestService(world, model);
    const target = { conversationId: "c" };
    const { version = 0 } = await (await begin(service, ask("Who?", { target: { newId: "c" } }))).ended;
    const started = await Promise.all(
      [service, other].map((each, n) =>
        each.start(ask(`Number ${n}`, { target, edit: { position: 0, version } })),
      ),
    );
    expect(started.filter((one) => one.started)).toHaveLength(1);
    for (const one of started) if (one.started) await one.ended;
    expect(await messagesOf(world, "c")).toHaveLength(2);
  });
});
