import { createInMemoryProvider, isSuccess } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type BudgetExceeded,
  costOf,
  createAgentClient,
  createTool,
  type ModelUsage,
  type RunConfig,
  run,
  spentIn,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

const price = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 };
const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 600, cacheWriteTokens: 200 };
/** 200 × 3 + 600 × 0.3 + 200 × 3.75 + 100 × 15, a millionth of it. */
const cost = 0.00303;

const origin = { provider: "acme", api: "v1", model: "large" };
const looksUp = (more: object = {}): ScriptedStep<unknown> => ({
  toolCalls: [{ name: "look" }],
  usage,
  ...more,
});
const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });

const priced = (model: readonly ScriptedStep<unknown>[], config: Partial<RunConfig<unknown>> = {}) =>
  setup({
    model: createScriptedModel(model),
    tools: [look],
    agent: { modelConfig: { name: "large" } },
    config: { prices: { large: price }, ...config },
  });

describe("the cost of tokens", () => {
  it("is computed by kind: plain, read from a cache, written to a cache, and output", () => {
    expect(costOf(usage, price)).toBeCloseTo(cost, 12);
    expect(costOf(usage, { input: 3, output: 15 })).toBeCloseTo(0.0045, 12);
    expect(costOf({}, price)).toBe(0);
  });

  it("is never negative, grows with each kind, and adds up", () => {
    const counts = fc.record(
      {
        inputTokens: fc.nat(),
        outputTokens: fc.nat(),
        cachedInputTokens: fc.nat(),
        cacheWriteTokens: fc.nat(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(counts, (some) => {
        const of = (more: ModelUsage) => costOf({ ...some, ...more }, price);
        expect(of({})).toBeGreaterThanOrEqual(0);
        expect(of({ outputTokens: (some.outputTokens ?? 0) + 1 })).toBeGreaterThan(of({}));
      }),
    );
  });
});

describe("a run with prices", () => {
  it("reports the cost of each call and of all calls", async () => {
    const { config, events } = priced([looksUp(), { text: "Done.", usage }]);
    const { spent } = await run(says("Hi"), config);
    expect(spent?.run.usage).toEqual({
      ...usage,
      inputTokens: 2_000,
      outputTokens: 200,
      cachedInputTokens: 1_200,
      cacheWriteTokens: 400,
    });
    expect(spent?.run.cost).toBeCloseTo(2 * cost, 12);
    expect(spent).not.toHaveProperty("conversation");
    const told = eventsOfType(events, "llm_call_end").map((data) => data.cost);
    expect(told).toEqual([expect.closeTo(cost, 12), expect.closeTo(cost, 12)]);
  });

  it("uses the price of the model that replied, with its provider first", async () => {
    const prices = { large: { input: 1, output: 1 }, "acme/large": price };
    const { config } = priced([{ text: "Done.", usage, origin }], { prices });
    expect((await run(says("Hi"), config)).spent?.run.cost).toBeCloseTo(cost, 12);
  });

  it("reports tokens without cost for a model without price, and ignores prices on a prototype", async () => {
    for (const name of ["small", "constructor", "__proto__"]) {
      const { config } = priced([{ text: "Done.", usage }], { modelOverride: name });
      expect((await run(says("Hi"), config)).spent).toEqual({ run: { usage } });
    }
  });

  it("estimates the tokens of a reply without usage, and says so", async () => {
    const { config, events } = priced(["Done."]);
    const { spent } = await run(says("Hi"), config);
    expect(spent?.run.usage).toEqual({ inputTokens: 9, outputTokens: 6, estimated: true });
    expect(spent?.run.cost).toBeCloseTo((9 * 3 + 6 * 15) / 1_000_000, 12);
    expect(eventsOfType(events, "llm_call_end")[0]?.usage).toEqual(spent?.run.usage);
  });

  it("estimates only the count that is missing, and marks the sum", async () => {
    const { config } = priced([looksUp(), { text: "Done.", usage: { outputTokens: 9 } }]);
    const { spent } = await run(says("Hi"), config);
    expect(spent?.run.usage).toMatchObject({ outputTokens: 109, estimated: true });
    expect(spent?.run.usage.inputTokens).toBeGreaterThan(1_000);
  });

  it("estimates the tokens of an unusable reply, too", async () => {
    const { config } = priced([{ text: " " }, { text: "Done.", usage }]);
    const { spent } = await run(says("Hi"), config);
    expect(spent?.run.usage).toMatchObject({ inputTokens: 1_009, outputTokens: 105, estimated: true });
  });

  it("counts unusable replies", async () => {
    const { config } = priced([
      { text: "", usage },
      { text: "Done.", usage },
    ]);
    expect((await run(says("Hi"), config)).spent?.run.cost).toBeCloseTo(2 * cost, 12);
  });

  it("can't be changed through its results", async () => {
    const { config } = priced([{ text: "Done.", usage }]);
    const { spent } = await run(says("Hi"), config);
    expect(Object.isFrozen(spent) && Object.isFrozen(spent?.run) && Object.isFrozen(spent?.run.usage)).toBe(
      true,
    );
  });
});

const exceeded = (more: Partial<BudgetExceeded>) => ({ _tag: "BudgetExceeded", ...more });

describe("a budget of a run", () => {
  it("ends the run before the next call once it is used up", async () => {
    const { config, events } = priced([looksUp(), looksUp()], { budget: { run: { maxTokens: 2_200 } } });
    const result = await run(says("Hi"), config);
    expect(errorOf(result)).toEqual(
      exceeded({ of: "run", limit: "maxTokens", allowed: 2_200, spent: 2_200 }),
    );
    expect(result.finalState.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
    expect(eventsOfType(events, "llm_call_end")).toHaveLength(2);
  });

  it("keeps the reply that exceeded it", async () => {
    const { config } = priced([{ text: "Done.", usage }], { budget: { run: { maxCost: cost / 2 } } });
    expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Done." });
  });

  it("ends the run between two attempts, without calling a fallback model", async () => {
    const { config, events } = priced([{ text: "", usage }], {
      budget: { run: { maxCost: cost } },
      modelFallback: { models: ["large"] },
    });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject(
      exceeded({ limit: "maxCost", spent: expect.closeTo(cost, 12) }),
    );
    expect(eventsOfType(events, "llm_fallback")).toEqual([]);
  });

  it.each([
    ["maxCost", { maxCost: 0.0001 }],
    ["maxTokens", { maxTokens: 30 }],
  ])("holds if the provider reports no usage: %s", async (limit, limits) => {
    const silent = Array.from({ length: 20 }, () => looksUp({ usage: undefined }));
    const { config, events } = priced(silent, { budget: { run: limits } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject(exceeded({ limit: limit as "maxCost" }));
    expect(eventsOfType(events, "llm_call_end").length).toBeLessThan(6);
  });

  it("calls no model if it is 0", async () => {
    const { config } = priced([], { budget: { run: { maxTokens: 0 } } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject(exceeded({ spent: 0 }));
  });

  it("applies to each run separately, also through an agent client", async () => {
    const agent = { name: "helper", instructions: "Help.", modelConfig: { name: "large" } };
    const modelProvider = createScriptedModel([
      { text: "1", usage },
      { text: "2", usage },
    ]);
    const budget = { run: { maxTokens: 1_100 } };
    const client = createAgentClient(agent, { modelProvider, context: {}, prices: { large: price }, budget });
    for (const text of ["1", "2"]) {
      const result = await client.prompt("Hi");
      expect(result.text).toBe(text);
      expect(result.spent?.run.cost).toBeCloseTo(cost, 12);
    }
  });

  it("has the price of the model that only the provider names", async () => {
    const modelProvider = {
      ...createScriptedModel<unknown>([{ text: "Done.", usage }]),
      defaultModel: "large",
    };
    const { config, events } = setup({
      model: modelProvider,
      config: { prices: { large: price }, budget: { run: { maxCost: 1 } } },
    });
    const { outcome, spent } = await run(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output: "Done." });
    expect(spent?.run.cost).toBeCloseTo(cost, 12);
    expect(eventsOfType(events, "llm_call_start")).toMatchObject([{ model: "large" }]);
  });

  it.each([
    [
      { budget: { run: { maxCost: 1 } }, prices: { small: price } },
      /needs the price of the model "large": add it to RunConfig\.prices/,
    ],
    [{ budget: { run: { maxCost: 1 } }, prices: undefined }, /prices: expected prices/],
    [{ budget: { run: { maxTokens: -1 } } }, /budget\.run\.maxTokens: expected/],
    [{ budget: { runs: {} } }, /budget\.runs: expected/],
    [{ prices: { large: { input: 1 } } }, /prices\.large\.output: expected/],
    [{ prices: { large: { ...price, cached: 1 } } }, /prices\.large\.cached: expected/],
  ])("is refused if it is invalid: %j", async (config, detail) => {
    const own = priced([], config as never);
    const given = "prices" in config && config.prices === undefined ? without(own.config) : own.config;
    expect(errorOf(await run(says("Hi"), given))).toMatchObject({ detail: expect.stringMatching(detail) });
  });
});

function without({ prices: _, ...config }: RunConfig<unknown>): RunConfig<unknown> {
  return config;
}

describe.each(["completed", "turn", "step"] as const)(
  "a stored conversation, in durability %s,",
  (durability) => {
    const stored = (model: readonly ScriptedStep<unknown>[], more: Partial<RunConfig<unknown>> = {}) => {
      const provider = createInMemoryProvider();
      const memory = { provider, autoStore: true, durability };
      return { provider, ...priced(model, { memory, conversationId: "c", ...more }) };
    };

    it("has the sum of its runs, each counted once", async () => {
      const { provider, config } = stored([looksUp(), { text: "1", usage }, { text: "2", usage }]);
      await run(says("Hi"), config);
      const { spent } = await run(says("And?"), config);
      expect(spent?.run.cost).toBeCloseTo(cost, 12);
      expect(spent?.conversation?.cost).toBeCloseTo(3 * cost, 12);
      const read = await provider.getConversation("c");
      const conversation = isSuccess(read) ? read.data : null;
      expect(conversation && spentIn(conversation)).toEqual(spent?.conversation);
    });

    it("ends a new run if the budget is used up, and doesn't change the history", async () => {
      const budget = { conversation: { maxTokens: 1_100 } };
      const { provider, config } = stored([{ text: "1", usage }], { budget });
      expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
      expect(errorOf(await run(says("And?"), config))).toMatchObject(
        exceeded({ of: "conversation", spent: 1_100 }),
      );
      const read = await provider.getRecentMessages("c", 10);
      const contents = isSuccess(read) ? read.data.map(({ content }) => content) : [];
      expect(contents.slice(0, 2)).toEqual(["Hi", "1"]);
    });

    it("says that its sum is estimated, also after a run with usage", async () => {
      const { provider, config } = stored(["1", { text: "2", usage }]);
      await run(says("Hi"), config);
      const { spent } = await run(says("And?"), config);
      expect(spent?.run.usage).toEqual(usage);
      expect(spent?.conversation?.usage).toMatchObject({ estimated: true });
      const read = await provider.getConversation("c");
      const conversation = isSuccess(read) ? read.data : null;
      expect(conversation && spentIn(conversation)).toEqual(spent?.conversation);
    });

    it("ignores invalid values that another program has written", async () => {
      const { provider, config } = stored([{ text: "1", usage }]);
      await provider.storeMessages("c", [], { jaf: { spent: { usage: { inputTokens: -5 }, cost: "free" } } });
      expect((await run(says("Hi"), config)).spent?.conversation?.cost).toBeCloseTo(cost, 12);
    });
  },
);
