import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Agent, createRunState, createTool, handoffTool, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { assistant, calling, eventsOfType, result, says, setup, user } from "../support/setup.ts";
import { seed } from "../support/stores.ts";

const callers: string[] = [];
const who = createTool({
  name: "who",
  description: "",
  parameters: z.object({}),
  execute: (_args, _context, call) => {
    callers.push(call?.agentName ?? "");
    return "ok";
  },
});

const agent = (name: string): Agent<unknown, unknown> => ({
  name,
  instructions: () => name,
  tools: [who, handoffTool],
  handoffs: ["billing-key"],
});

const registry = new Map([
  ["front-key", agent("Front Desk")],
  ["billing-key", agent("Billing")],
]);

const begins = () => createRunState<unknown>({ agentName: "front-key", context: {}, messages: [user("Hi")] });

describe("an agent with a registry key that differs from its name", () => {
  it("keeps the conversation through its tools, and is named by its key everywhere", async () => {
    callers.length = 0;
    const model = createScriptedModel([{ toolCalls: [{ name: "who" }] }, "Done."]);
    const { config, events } = setup({ model, config: { agentRegistry: registry } });
    const { outcome, finalState } = await run(begins(), config);
    expect(outcome).toEqual({ status: "completed", output: "Done." });
    expect(finalState.currentAgentName).toBe("front-key");
    expect(callers).toEqual(["front-key"]);
    const named = events.flatMap(({ data }) => ("agentName" in data ? [data.agentName] : []));
    expect(new Set(named)).toEqual(new Set(["front-key"]));
  });

  it("hands off by key", async () => {
    const toBilling = { toolCalls: [{ name: "handoff", arguments: { agentName: "billing-key" } }] };
    const model = createScriptedModel([toBilling, "Done."]);
    const { config, events } = setup({ model, config: { agentRegistry: registry } });
    const { finalState } = await run(begins(), config);
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(["Front Desk", "Billing"]);
    expect(finalState.currentAgentName).toBe("billing-key");
    expect(eventsOfType(events, "handoff")).toEqual([{ from: "front-key", to: "billing-key" }]);
  });

  it("is found again by a resumed run", async () => {
    const provider = createInMemoryProvider();
    const memory = { provider, autoStore: true, durability: "step" } as const;
    const config = (steps: Parameters<typeof createScriptedModel>[0]) =>
      setup({
        model: createScriptedModel(steps),
        config: { agentRegistry: registry, memory, conversationId: "c", modelRetry: { maxAttempts: 1 } },
      }).config;
    const toBilling = { toolCalls: [{ name: "handoff", arguments: { agentName: "billing-key" } }] };
    await run(begins(), config([toBilling, new Error("gone")]));
    const resumed = createScriptedModel(["Done."]);
    await run({ ...says(), currentAgentName: "front-key" }, { ...config([]), modelProvider: resumed });
    expect(resumed.requests[0]?.instructions).toBe("Billing");
    const stored = await provider.getConversation("c");
    expect(stored).toMatchObject({ data: { metadata: { jaf: { agentName: "billing-key" } } } });
  });
});

describe("a resumed step", () => {
  const unfinished = [user("Hi"), calling(["a", "who"])];

  async function resumed(maxTurns: number) {
    callers.length = 0;
    const provider = createInMemoryProvider();
    await seed(provider, unfinished);
    const { config, events } = setup({
      model: createScriptedModel(["Done."]),
      config: {
        agentRegistry: registry,
        maxTurns,
        memory: { provider, autoStore: true },
        conversationId: "c",
      },
    });
    const state = { ...says(), currentAgentName: "front-key" };
    return { ...(await run(state, config)), events };
  }

  it("counts as a step", async () => {
    const { finalState, events } = await resumed(2);
    expect(finalState.messages).toEqual([...unfinished, result("a", "ok"), assistant("Done.")]);
    expect(finalState.turnCount).toBe(2);
    expect(eventsOfType(events, "step_start").map(({ step }) => step)).toEqual([1, 2]);
  });

  it("runs no tool after maxTurns", async () => {
    const { outcome } = await resumed(0);
    expect(outcome).toEqual({ status: "error", error: { _tag: "MaxTurnsExceeded", turns: 0 } });
    expect(callers).toEqual([]);
  });
});
