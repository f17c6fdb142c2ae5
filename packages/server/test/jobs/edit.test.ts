import { createTool, type ModelProvider } from "@jaf/core";
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
  messagesOf,
  metadataOf,
  type World,
} from "../support/turn-fixtures.ts";

describe("An edit", () => {
  test("replaces the message and all later ones, and answers again", async () => {
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

  test("is refused for another version, and at a position without a user's message", async () => {
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
    // Regenerate: the same message again.
    const again = await begin(service, ask("Who?", { target, edit: { position: 0, version } }));
    await again.ended;
    expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual(["Who?", "Again."]);
  });

  test("succeeds for one of two concurrent requests", async () => {
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

  test("leaves the conversation unchanged if a guardrail blocks it", async () => {
    const world = createWorld();
    const model = createScriptedModel(["Ada.", "Blue."]);
    const service = createTestService(world, model, guarded(world, model));
    const target = { conversationId: "c" };
    await (await begin(service, ask("Who?", { target: { newId: "c" } }))).ended;
    const { version = 0 } = await (await begin(service, ask("Which?", { target }))).ended;
    const before = JSON.stringify(await messagesOf(world, "c"));
    const edited = await begin(service, ask("a secret", { target, edit: { position: 0, version } }));
    const end = await edited.ended;
    expect(end).toMatchObject({ status: "error", error: { code: "InputGuardrailTripwire" }, version });
    expect(JSON.stringify(await messagesOf(world, "c"))).toBe(before);
    expect((await metadataOf(world, "c"))?.version).toBe(version);
    const page = await world.log.read(edited);
    const record = JSON.parse((page.success && page.data?.turn.record) || "null");
    expect(record.positions).toEqual({ from: 0, to: 0 });
    model.assertDone();
  });

  test.each([
    ["reasoning", [{ type: "reasoning", text: "I may." }]],
    ["an invalid text part", [{ type: "text", text: 5 }]],
    ["a media without data", [{ type: "media" }]],
  ])(
    "leaves the conversation unchanged if it has a part that users can't send: %s",
    async (_what, content) => {
      const world = createWorld();
      const service = createTestService(world, createScriptedModel(["Ada."]));
      const { version = 0 } = await (await begin(service, ask("Who?", { target: { newId: "c" } }))).ended;
      const before = JSON.stringify(await messagesOf(world, "c"));
      const target = { conversationId: "c" };
      const said = content as unknown as string;
      for (const input of [said, [{ role: "user", content: said }]] as const) {
        const started = await service.start(ask(input, { target, edit: { position: 0, version } }));
        expect(started).toMatchObject({ started: false, refusal: { reason: "invalid" } });
      }
      expect(JSON.stringify(await messagesOf(world, "c"))).toBe(before);
      const turns = await world.log.turnsOf("c");
      expect(turns.success && turns.data).toHaveLength(1);
    },
  );

  test.each(["step", "turn", "completed"] as const)(
    "runs tools and can be continued, with durability %s",
    async (durability) => {
      const world = createWorld();
      const calls = { toolCalls: [{ name: "look", arguments: {} }] };
      const model = createScriptedModel<unknown>([
        ...["Ada.", "Blue.", calls, "Seen."],
        ({ state }) => state.messages.map(({ content }) => content).join("|"),
      ]);
      const look = createTool({
        ...{ name: "look", description: "Looks.", parameters: z.object({}) },
        execute: async () => "a door",
      });
      const service = createTestService(world, model, {
        agents: [{ ...clerk, tools: [look] }],
        config: {
          modelProvider: model,
          memory: { provider: world.provider, autoStore: true, durability, window: { maxMessages: 50 } },
        },
      });
      const target = { conversationId: "c" };
      await (await begin(service, ask("Who?", { target: { newId: "c" } }))).ended;
      const { version = 0 } = await (await begin(service, ask("Which?", { target }))).ended;
      const edited = await begin(service, ask("Look!", { target, edit: { position: 2, version } }));
      expect((await edited.ended).status).toBe("completed");
      const roles = (await messagesOf(world, "c")).map(({ role }) => role);
      expect(roles).toEqual(["user", "assistant", "user", "assistant", "tool", "assistant"]);
      const metadata = await metadataOf(world, "c");
      expect(metadata).toMatchObject({ totalMessages: 6, nextPosition: 6 });
      expect(metadata?.version).toBe((await edited.ended).version);
      const end = await (await begin(service, ask("And?", { target }))).ended;
      expect(end.status).toBe("completed");
      const { content } = (await messagesOf(world, "c")).at(-1) ?? {};
      expect(content).toMatch(/^Who\?\|Ada\.\|Look!\|.*\|Seen\.\|And\?$/);
      model.assertDone();
    },
  );

  test.each(["step", "completed"] as const)(
    "replaces the old messages by the text so far if it is stopped, with durability %s",
    async (durability) => {
      const world = createWorld();
      const made = createTestService(world, createScriptedModel(["Ada.", "Blue."]));
      const target = { conversationId: "c" };
      await (await begin(made, ask("Who?", { target: { newId: "c" } }))).ended;
      const { version = 0 } = await (await begin(made, ask("Which?", { target }))).ended;
      const { model } = createPausingModel(["Hel"]);
      const service = createTestService(world, model, {
        config: { modelProvider: model, memory: { provider: world.provider, autoStore: true, durability } },
      });
      const edited = await begin(service, ask("What?", { target, edit: { position: 2, version } }));
      await expect
        .poll(async () => {
          const page = await world.log.read(edited);
          return page.success && page.data?.events.some((event) => event.includes("Hel"));
        })
        .toBe(true);
      expect(await service.stop(edited)).toBe(true);
      expect((await edited.ended).status).toBe("stopped");
      expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual([
        ...["Who?", "Ada.", "What?", "Hel"],
      ]);
    },
  );
});

const guarded = ({ provider }: World, modelProvider: ModelProvider<unknown>) => ({
  config: {
    modelProvider,
    memory: { provider, autoStore: true },
    initialInputGuardrails: [
      (said: string) =>
        said.includes("secret")
          ? ({ isValid: false, errorMessage: "No secrets." } as const)
          : ({ isValid: true } as const),
    ],
  },
});
