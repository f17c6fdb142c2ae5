import { describe, expect, it } from "vitest";
import { createAgentClient, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { eventsOfType, says, setup } from "../support/setup.ts";

const spent = { text: "", usage: { inputTokens: 1_000, outputTokens: 5, reasoningTokens: 4 } };
const answered = { text: "Done.", usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 8 } };
const both = { inputTokens: 1_010, outputTokens: 7, cachedInputTokens: 8, reasoningTokens: 4 };

describe("the usage of a model call", () => {
  it("counts unusable replies, too", async () => {
    const { config, events } = setup({ model: [spent, answered] });
    await run(says("Hi"), config);
    expect(eventsOfType(events, "llm_call_end").map(({ usage }) => usage)).toEqual([both]);
  });

  it("is reported if the call ends without a reply", async () => {
    const { config, events } = setup({ model: [spent], config: { modelRetry: { maxAttempts: 1 } } });
    await run(says("Hi"), config);
    expect(eventsOfType(events, "llm_call_end")).toMatchObject([{ status: "error", usage: spent.usage }]);
  });

  it("is summed up over the calls of a prompt", async () => {
    const agent = { name: "helper", instructions: "Help.", tools: [] };
    const modelProvider = createScriptedModel([
      { toolCalls: [{ name: "none" }], usage: { inputTokens: 3 } },
      spent,
      answered,
    ]);
    const client = createAgentClient(agent, { modelProvider, context: {}, modelRetry: { baseDelayMs: 0 } });
    expect((await client.prompt("Hi")).usage).toEqual({ ...both, inputTokens: 1_013 });
  });

  it("is absent if the provider reports none", async () => {
    const { config, events } = setup({ model: ["Done."] });
    await run(says("Hi"), config);
    expect(eventsOfType(events, "llm_call_end")[0]).not.toHaveProperty("usage");
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "12", 12n, null])(
    "leaves out a count that is no number of tokens: %s",
    async (bad) => {
      const reported = { inputTokens: bad, outputTokens: 5, cachedInputTokens: bad, more: 1 } as never;
      const { config, events } = setup({ model: [{ text: "Done.", usage: reported }] });
      const { spent } = await run(says("Hi"), config);
      expect(spent).toEqual({ run: { usage: { outputTokens: 5 } } });
      expect(eventsOfType(events, "llm_call_end").map(({ usage }) => usage)).toEqual([{ outputTokens: 5 }]);
    },
  );

  it.each([{}, { inputTokens: -1 }, "many", 7, null])("is absent if no count is valid: %j", async (bad) => {
    const { config } = setup({ model: [{ text: "Done.", usage: bad as never }] });
    expect(await run(says("Hi"), config)).not.toHaveProperty("spent");
  });

  it("can't be lowered by a negative count, so a budget holds", async () => {
    const more = { toolCalls: [{ name: "none" }], usage: { inputTokens: 100 } };
    const less = { toolCalls: [{ name: "none" }], usage: { inputTokens: -1_000, outputTokens: 0 } };
    const { config } = setup({
      model: [more, less, more],
      config: { budget: { run: { maxTokens: 130 } } },
    });
    expect((await run(says("Hi"), config)).outcome).toMatchObject({ error: { _tag: "BudgetExceeded" } });
  });
});
