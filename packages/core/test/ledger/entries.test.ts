import { createInMemoryProvider } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type ModelUsage, type RunConfig, run } from "../../src/index.ts";
import { shares } from "../../src/ledger/shares.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { createEntryLedger, sumOfEntries } from "../support/ledger.ts";
import { eventsOfType, says, setup } from "../support/setup.ts";

const usage = {
  inputTokens: 90,
  outputTokens: 11,
  cachedInputTokens: 7,
  cacheWriteTokens: 5,
  reasoningTokens: 3,
};
const tool = (name: string) =>
  createTool({ name, description: "", parameters: z.object({}), execute: () => "seen" });
const prices = { large: { input: 1_000, output: 2_000 }, small: { input: 10, output: 20 } };

function world(model: readonly ScriptedStep<unknown>[], config: Partial<RunConfig<unknown>> = {}) {
  const ledger = createEntryLedger();
  const run = setup({
    model: createScriptedModel(model),
    tools: [tool("look"), tool("listen")],
    agent: { modelConfig: { name: "large" } },
    config: { ledger: { store: ledger.store, tenant: () => "acme" }, prices, ...config },
  });
  return { ...run, ...ledger };
}

describe("the entries of a model call", () => {
  it("name the user, the tenant, the agent and the model that replied", async () => {
    const origin = { provider: "acme", api: "v1", model: "large-2026" };
    const memory = { provider: createInMemoryProvider(), userId: "ada" };
    const { config, entries } = world([{ text: "Done.", usage, origin }], { memory });
    await run(says("Hi"), config);
    expect(entries).toEqual([
      {
        ...{ userId: "ada", tenantId: "acme", agentName: "helper", model: "large-2026" },
        ...{ calls: 1, ...usage, cost: expect.closeTo(0.112, 9) },
      },
    ]);
  });

  it("divide the call between the tools whose results it reads for the first time", async () => {
    const both = { toolCalls: [{ name: "look" }, { name: "listen" }, { name: "look" }], usage };
    const { config, entries } = world([
      both,
      { toolCalls: [{ name: "look" }], usage },
      { text: "Done.", usage },
    ]);
    await run(says("Hi"), config);
    expect(
      entries.map(({ tool, calls, inputTokens, outputTokens }) => [tool, calls, inputTokens, outputTokens]),
    ).toEqual([
      [undefined, 1, 90, 11],
      ["look", 0.5, 45, 6],
      ["listen", 0.5, 45, 5],
      ["look", 1, 90, 11],
    ]);
  });

  it("name no tool that no agent has, and no model that isn't a name", async () => {
    const origin = { provider: "acme", api: "v1", model: "" };
    const wrong = { toolCalls: [{ name: "x".repeat(300) }], usage };
    const { config, entries } = world([wrong, { text: "Done.", usage, origin }]);
    await run(says("Hi"), config);
    expect(entries.map(({ tool, model }) => [tool, model])).toEqual([
      [undefined, "large"],
      [undefined, "large"],
    ]);
  });

  it("have the same sum as the call, in whole tokens", () => {
    const entry = fc.record({
      agentName: fc.constant("a"),
      model: fc.constant("m"),
      calls: fc.constant(1),
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      cost: fc.double({ min: 0, max: 10, noNaN: true }),
    });
    fc.assert(
      fc.property(entry, fc.uniqueArray(fc.string(), { maxLength: 7 }), (whole, tools) => {
        const sum = sumOfEntries(shares(whole, tools));
        expect(sum).toMatchObject({ inputTokens: whole.inputTokens, outputTokens: whole.outputTokens });
        expect(sum.calls).toBeCloseTo(1, 9);
        expect(sum.cost).toBeCloseTo(whole.cost, 9);
      }),
    );
  });

  it("are estimated for a reply without usage", async () => {
    const { config, entries } = world(["Done."]);
    await run(says("Hi"), config);
    expect(entries).toMatchObject([{ calls: 1, inputTokens: expect.any(Number), outputTokens: 6 }]);
  });
});

/** What the model does in one call: replies, writes nothing usable, or fails. */
const step = fc.record({
  usage: fc
    .tuple(fc.nat(5_000), fc.nat(5_000), fc.nat(500))
    .map(([cachedInputTokens, others, outputTokens]) => ({
      ...{ inputTokens: cachedInputTokens + others, cachedInputTokens, outputTokens },
    })),
  does: fc.constantFrom("answers", "calls", "calls both", "is empty", "fails", "dies"),
});

const doing = ({
  usage,
  does,
}: {
  readonly usage: ModelUsage;
  readonly does: string;
}): ScriptedStep<unknown> => {
  switch (does) {
    case "answers":
      return { text: "Done.", usage };
    case "calls":
      return { toolCalls: [{ name: "look" }], usage };
    case "calls both":
      return { toolCalls: [{ name: "look" }, { name: "listen" }], usage };
    case "is empty":
      return { text: "", usage };
    case "fails":
      return Object.assign(new Error("busy"), { status: 503 });
    default:
      return Object.assign(new Error("wrong"), { status: 400 });
  }
};

describe("the sums of the ledger", () => {
  it("are those of all model calls, with retries, other models, failures and resumed runs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 12 }), { maxLength: 6 }), async (runs) => {
        const memory = {
          provider: createInMemoryProvider(),
          autoStore: true,
          userId: "ada",
          durability: "step",
        } as const;
        const { config, entries, events } = world([], {
          memory,
          conversationId: "c",
          modelFallback: { models: ["small"] },
        });
        for (const [index, steps] of runs.entries()) {
          const modelProvider = createScriptedModel<unknown>(steps.map(doing));
          await run(index % 2 === 0 ? says("Hi") : says(), { ...config, modelProvider });
        }
        const ended = eventsOfType(events, "llm_call_end");
        const told = sumOfEntries(
          ended.map(({ usage: { cost: _, estimated: __, ...counts } = {}, cost }) => ({
            ...{ agentName: "", model: "", ...counts },
            ...(cost === undefined ? {} : { cost }),
          })),
        );
        const { calls, cost, ...tokens } = sumOfEntries(entries);
        const { calls: _, cost: expectedCost, ...expected } = told;
        expect(tokens).toEqual(expected);
        expect(cost).toBeCloseTo(expectedCost, 6);
      }),
      { numRuns: 60 },
    );
  });
});
