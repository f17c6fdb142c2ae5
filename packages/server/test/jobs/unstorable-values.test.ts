import type { Agent, Tool } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  ask,
  begin,
  clerk,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
} from "../support/turn-fixtures.ts";

const nestedText = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const cycle: Record<string, unknown> = { name: "Ada" };
cycle["self"] = cycle;
const unreadable = {
  get secret() {
    throw new Error("unreadable");
  },
};

const tool = (more: Partial<Tool<unknown, unknown>> = {}): Tool<unknown, unknown> => ({
  schema: { name: "look", description: "Looks.", parameters: z.looseObject({}) },
  execute: async () => "looked",
  ...more,
});

const withTools = (...tools: readonly Tool<unknown, unknown>[]): Agent<unknown, string> => ({
  ...clerk,
  tools,
});

const schemaThat = (returns: unknown) => ({
  name: "look",
  description: "Looks.",
  parameters: z.looseObject({}).transform(() => returns),
});

// A stalled turn would exceed the test's time limit: no process takes it over.
describe("A turn ends at once", () => {
  const deep = { toolCalls: [{ name: "look", arguments: nestedText(5_000) }] };

  it.each([
    ["a tool", [tool()]],
    ["an unknown tool", []],
    ["a tool that needs an approval", [tool({ needsApproval: true })]],
  ])("after two model calls if the arguments for %s have 5,000 levels", async (_, tools) => {
    const world = createWorld();
    const model = createScriptedModel([deep, "Sorry."]);
    const service = createTestService(world, model, { agents: [withTools(...tools)] });
    const turn = await begin(service, ask("Look."));
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect((await messagesOf(world, turn.conversationId)).at(-1)?.content).toBe("Sorry.");
    model.assertDone();
  });

  it.each([
    ["has a cycle", cycle, { name: "Ada" }],
    ["has 5,000 levels", JSON.parse(nestedText(5_000)) as unknown, {}],
    ["can't be read", unreadable, {}],
  ])("if what a tool's schema returns %s", async (_, returned, shown) => {
    const model = createScriptedModel([{ toolCalls: [{ name: "look" }] }, "Done."]);
    const agents = [withTools(tool({ schema: schemaThat(returned) as never }))];
    const service = createTestService(createWorld(), model, { agents });
    const turn = await begin(service, ask("Look."));
    expect(await turn.ended).toMatchObject({ status: "completed" });
    const events = (await eventsOf(service, turn)).map(({ event }) => event);
    expect(events.find(({ type }) => type === "tool_start")).toMatchObject({ args: shown });
    model.assertDone();
  });

  it.each([
    ["has a cycle", cycle],
    ["has 5,000 levels", JSON.parse(nestedText(5_000)) as unknown],
  ])("if the decoded output %s", async (_, output) => {
    const outputCodec = z.unknown().transform(() => output) as unknown as z.ZodType<string>;
    const model = createScriptedModel(["Ada."]);
    const service = createTestService(createWorld(), model, { agents: [{ ...clerk, outputCodec }] });
    const turn = await begin(service, ask("Who?"));
    expect(await turn.ended).toMatchObject({ status: "completed" });
    model.assertDone();
  });
});

describe("A request that can't be stored", () => {
  it.each([
    ["a cycle", cycle],
    ["a bigint", 1n],
    ["5,000 levels", JSON.parse(nestedText(5_000)) as unknown],
  ])("is refused as invalid before a model call if it has %s", async (_, value) => {
    const model = createScriptedModel([]);
    const service = createTestService(createWorld(), model);
    const inputs = [
      [{ type: "text" as const, text: "Hi.", value }],
      [{ role: "user" as const, content: "Hi.", value }],
    ];
    for (const input of inputs) {
      const refusal = { reason: "invalid", retryable: false };
      expect(await service.start(ask(input))).toMatchObject({ started: false, refusal });
    }
    expect(model.requests).toEqual([]);
  });

  it("is refused before a model call if its identity has a cycle", async () => {
    const model = createScriptedModel([]);
    const errors: unknown[] = [];
    const service = createTestService(createWorld(), model, { onError: (error) => errors.push(error) });
    const started = await service.start(ask("Hi.", { identity: { userId: "ada", session: cycle } as never }));
    expect(started).toMatchObject({ started: false });
    expect(model.requests).toEqual([]);
  });

  it("is refused before a model call if a tool result has a cycle", async () => {
    const { execute: _, ...clientTool } = tool();
    const model = createScriptedModel([{ toolCalls: [{ name: "look" }] }]);
    const service = createTestService(createWorld(), model, { agents: [withTools(clientTool as never)] });
    const first = await begin(service, ask("Look."));
    expect(await first.ended).toMatchObject({ status: "interrupted" });
    const toolResults = [{ toolCallId: "call_1", result: { status: "success", data: cycle } }] as never;
    const target = { conversationId: first.conversationId };
    expect(await service.start(ask([], { target, toolResults }))).toMatchObject({ started: false });
    model.assertDone();
  });
});
