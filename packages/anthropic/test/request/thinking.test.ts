import { type Agent, createTool, handoffTool, type ModelConfig, run, runStream } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import { rulesOf } from "../../src/model-rules.ts";
import { configOf, says } from "../support/setup.ts";
import { CLEAN, strictAnthropic } from "../support/strict.ts";

const find = createTool({
  name: "find",
  description: "d",
  parameters: z.object({ what: z.string() }),
  execute: async ({ what }) => `Found ${what}.`,
});
/** Two steps of a turn. Each text is unique, so the fake can find its own replies. */
const turn = (place: number): readonly ScriptedReply[] => [
  {
    thoughts: ["I should look.", ""],
    searches: ["it"],
    text: `I'll look (${place}).`,
    calls: [{ name: "find", input: { what: "it" } }],
  },
  answering(place),
];
const answering = (place: number): ScriptedReply => ({
  thoughts: ["There it is."],
  text: `Here (${place}).`,
});

const OLDER = "claude-opus-4-5";
const NEWER = "claude-opus-5-5";

describe.each(["whole", "streamed"])("thinking (%s)", (way) => {
  const start = async (...[state, { config }]: [ReturnType<typeof says>, ReturnType<typeof configOf>]) =>
    way === "whole"
      ? run<unknown, unknown>(state, config)
      : runStream<unknown, unknown>(state, config).result;

  it.each([OLDER, "claude-sonnet-4-6", NEWER])(
    "of %s comes back as it was, through a store",
    async (model) => {
      const { fake, provider, refusals } = await strictAnthropic([...turn(1), ...turn(2), { text: "Bye." }]);
      const memory = { provider: createInMemoryProvider(), autoStore: true, userId: "ada" };
      for (const said of ["Hi", "And?", "Bye"]) {
        const modelConfig: ModelConfig = { name: model, reasoningEffort: "low" };
        const set = configOf(provider, { tools: [find], modelConfig }, { memory, conversationId: "c" });
        expect((await start(says(said), set)).outcome).toMatchObject({ status: "completed" });
      }
      expect(refusals()).toEqual([]);
      expect(fake.findings()).toMatchObject(CLEAN);
      expect(fake.findings().whole).toBe(10);
    },
  );

  it("is sent to its own model only", async () => {
    const { fake, provider, refusals } = await strictAnthropic([1, 2, 3, 4].flatMap(turn));
    const memory = { provider: createInMemoryProvider(), autoStore: true, userId: "ada" };
    for (const name of [OLDER, NEWER, "claude-sonnet-4-6", OLDER]) {
      const modelConfig: ModelConfig = { name, reasoningEffort: "medium" };
      const set = configOf(provider, { tools: [find], modelConfig }, { memory, conversationId: "c" });
      expect((await start(says(`Hi ${name}`), set)).outcome).toMatchObject({ status: "completed" });
    }
    expect(refusals()).toEqual([]);
    expect(fake.findings()).toMatchObject(CLEAN);
  });

  it("may be dropped by the model if a window changed the messages before it", async () => {
    const replies = [1, 2, 3].map(answering);
    const { provider, refusals } = await strictAnthropic(replies);
    const bound = await strictAnthropic(replies, { prefixMismatch: "error" });
    for (const asked of [provider, bound.provider]) {
      const memory = {
        provider: createInMemoryProvider(),
        autoStore: true,
        userId: "ada",
        window: { maxMessages: 3 },
      };
      for (const said of ["One", "Two", "Three"]) {
        const set = configOf(asked, { modelConfig: { name: NEWER } }, { memory, conversationId: "c" });
        await start(says(said), set);
      }
    }
    expect(refusals()).toEqual([]);
    expect(bound.refusals()).toEqual([expect.stringContaining("bound to a different conversation")]);
  });

  it("is disabled if an older model continues another model's turn", async () => {
    const { fake, provider, refusals } = await strictAnthropic([
      { calls: [{ name: "handoff", input: { agentName: "b" } }] },
      { text: "Done." },
    ]);
    const a: Agent<unknown, string> = {
      name: "a",
      instructions: "A",
      tools: [handoffTool],
      handoffs: ["b"],
      modelConfig: { name: "claude-sonnet-4-6" },
    };
    const b: Agent<unknown, string> = {
      name: "b",
      instructions: "B",
      tools: [find],
      modelConfig: { name: OLDER, reasoningEffort: "high" },
    };
    const agentRegistry = new Map([
      ["a", a],
      ["b", b],
    ]);
    const { outcome } = await start(
      { ...says("Hi"), currentAgentName: "a" },
      configOf(provider, {}, { agentRegistry }),
    );
    expect(outcome).toEqual({ status: "completed", output: "Done." });
    expect(refusals()).toEqual([]);
    expect(fake.requests[1]?.body).toMatchObject({ thinking: { type: "disabled" } });
  });

  it("stays in place in a continued reply", async () => {
    const { fake, provider, refusals } = await strictAnthropic([
      { thoughts: ["Two searches."], searches: ["a", "b"], pauses: true },
      { text: "Both found." },
      { text: "Bye." },
    ]);
    const memory = { provider: createInMemoryProvider(), autoStore: true, userId: "ada" };
    for (const said of ["Hi", "Bye"]) {
      const modelConfig: ModelConfig = { name: OLDER, reasoningEffort: "low" };
      await start(says(said), configOf(provider, { modelConfig }, { memory, conversationId: "c" }));
    }
    expect(refusals()).toEqual([]);
    expect(fake.requests).toHaveLength(3);
    expect(fake.findings()).toMatchObject(CLEAN);
  });
});

describe("the effort of", () => {
  const BINDING = { block_binding: { prefix_mismatch_behavior: "drop_block" } };

  it.each<[string, ModelConfig, unknown, unknown]>([
    [OLDER, {}, undefined, undefined],
    [OLDER, { reasoningEffort: "none" }, undefined, undefined],
    [OLDER, { reasoningEffort: "minimal" }, { type: "enabled", budget_tokens: 1024 }, undefined],
    [OLDER, { reasoningEffort: "xhigh" }, { type: "enabled", budget_tokens: 24_576 }, undefined],
    [OLDER, { reasoningEffort: "low", toolChoice: "required" }, { type: "disabled" }, undefined],
    ["claude-3-5-haiku-20241022", { reasoningEffort: "low" }, undefined, undefined],
    ["claude-opus-4-6", { reasoningEffort: "none" }, { type: "disabled" }, undefined],
    ["claude-opus-4-6", { reasoningEffort: "xhigh" }, { type: "adaptive" }, "max"],
    ["claude-opus-4-8", { reasoningEffort: "xhigh" }, { type: "adaptive" }, "xhigh"],
    [NEWER, {}, { type: "adaptive", ...BINDING }, undefined],
    [NEWER, { reasoningEffort: "none" }, { type: "adaptive", ...BINDING }, "low"],
    [NEWER, { reasoningEffort: "minimal", toolChoice: "required" }, { type: "adaptive", ...BINDING }, "low"],
    ["claude-haiku-5-5", { reasoningEffort: "none" }, { type: "disabled" }, undefined],
    [
      "claude-sonnet-5-5",
      { providerOptions: { anthropic: { thinking: { type: "between_tools" } } } },
      { type: "between_tools" },
      undefined,
    ],
    [
      NEWER,
      {
        reasoningEffort: "low",
        providerOptions: {
          anthropic: { thinking: { display: "summarized" }, output_config: { task_budget: {} } },
        },
      },
      { type: "adaptive", ...BINDING, display: "summarized" },
      "low",
    ],
  ])("%s of %j is %j and %j", async (name, modelConfig, thinking, effort) => {
    const { fake, provider, refusals } = await strictAnthropic([{ text: "Ok." }]);
    const set = configOf(provider, { tools: [find], modelConfig: { ...modelConfig, name, maxTokens: 500 } });
    expect((await run(says("Hi"), set.config)).outcome.status).toBe("completed");
    expect(refusals()).toEqual([]);
    const body = fake.requests[0]?.body ?? {};
    expect(body["thinking"]).toEqual(thinking);
    expect(body["output_config"]).toEqual(
      effort === undefined ? undefined : expect.objectContaining({ effort }),
    );
    const budget = (thinking as { budget_tokens?: number } | undefined)?.budget_tokens ?? 0;
    expect(body["max_tokens"]).toBe(500 + budget);
  });

  it.each([
    ["claude-opus-4-20250514", { thinking: "budget", outputSchema: false, sampling: "one" }],
    ["claude-sonnet-4-5-20250929", { thinking: "budget", outputSchema: true }],
    ["claude-3-7-sonnet-20250219", { thinking: "budget" }],
    ["claude-3-haiku-20240307", { thinking: "none" }],
    ["claude-instant-1.2", { thinking: "none" }],
    ["us.anthropic.claude-opus-4-6-v1", { thinking: "adaptive", sampling: "one", bindsThinking: false }],
    ["claude-sonnet-5", { thinking: "adaptive", sampling: "none", bindsThinking: false }],
    ["claude-fable-5", { canStopThinking: false, bindsThinking: false, forcedTools: true }],
    ["claude-fable-5-1", { canStopThinking: false, bindsThinking: true, forcedTools: false }],
    ["claude-mythos-preview", { thinking: "adaptive", canStopThinking: false }],
    ["claude-haiku-5-5", { canStopThinking: true, bindsThinking: true, forcedTools: true }],
    ["claude-opus-6", { bindsThinking: true, forcedTools: false }],
    ["minimax-m2", { thinking: "budget", sampling: "both", outputSchema: false }],
  ])("depends on the model's version: %s", (model, expected) => {
    expect(rulesOf(model)).toMatchObject(expected);
  });
});
