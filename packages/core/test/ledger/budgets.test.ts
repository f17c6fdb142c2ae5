import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import {
  type Agent,
  asTool,
  createAgentClient,
  createTool,
  JAFErrorHandler,
  type RunConfig,
  run,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { createEntryLedger } from "../support/ledger.ts";
import { deferred, errorOf, eventsOfType, says, setup } from "../support/setup.ts";

const usage = { inputTokens: 80, outputTokens: 20 };
const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });
const looks: ScriptedStep<unknown> = { toolCalls: [{ name: "look" }], usage };
const done: ScriptedStep<unknown> = { text: "Done.", usage };

function world(model: readonly ScriptedStep<unknown>[], config: Partial<RunConfig<unknown>> = {}) {
  const ledger = createEntryLedger();
  const memory = { provider: createInMemoryProvider(), userId: "ada" };
  const run = setup({
    model: createScriptedModel(model),
    tools: [look],
    agent: { modelConfig: { name: "large" } },
    config: { ledger: { store: ledger.store, tenant: "acme" }, memory, ...config },
  });
  return { ...run, ...ledger };
}

describe("a budget that the ledger counts", () => {
  it.each(["user", "tenant", "everyone"] as const)("of %s ends the run when it is used up", async (of) => {
    const { config, entries } = world([looks, looks, done], { budget: { [of]: { maxTokens: 200 } } });
    const error = errorOf(await run(says("Hi"), config));
    expect(error).toEqual({
      ...{ _tag: "BudgetExceeded", of, period: "day", limit: "maxTokens", allowed: 200, spent: 200 },
    });
    expect(JAFErrorHandler.format(error)).toBe(
      `The budget of ${of === "everyone" ? of : `the ${of}`} for this day is used up: 200 of 200 (maxTokens).`,
    );
    expect(entries).toHaveLength(2);
  });

  it("is shared by runs, and not by other users", async () => {
    const budget = { user: { maxTokens: 100 } } as const;
    const { config } = world([done, done], { budget });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({ _tag: "BudgetExceeded", of: "user" });
    const memory = { provider: createInMemoryProvider(), userId: "bob" };
    expect((await run(says("Hi"), { ...config, memory })).outcome.status).toBe("completed");
  });

  it("is read in one round trip with all others, before each call and each further attempt", async () => {
    const { config, asked } = world([looks, { text: "", usage }, done], {
      budget: {
        run: { maxTokens: 1_000 },
        user: { maxTokens: 1_000, period: "month" },
        tenant: { maxTokens: 1_000 },
        everyone: { maxTokens: 1_000 },
      },
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(asked).toEqual(
      Array(3).fill([
        { of: "user", id: "ada", period: "month" },
        { of: "tenant", id: "acme", period: "day" },
        { of: "everyone", period: "day" },
      ]),
    );
  });

  it("counts an unusable reply before the next attempt", async () => {
    const { config } = world([{ text: "", usage }, done], { budget: { user: { maxTokens: 100 } } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({ _tag: "BudgetExceeded", spent: 100 });
  });

  it("limits the cost by the prices, and needs a price for each model", async () => {
    const prices = { large: { input: 1_000, output: 1_000 } };
    const budget = { everyone: { maxCost: 0.1 } } as const;
    const { config } = world([looks, done], { budget, prices });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({ limit: "maxCost", spent: 0.1 });
    const other = world([done], { budget, prices, modelOverride: "small" });
    expect(errorOf(await run(says("Hi"), other.config))).toMatchObject({
      detail: expect.stringContaining('the price of the model "small"'),
    });
  });

  it("ends the run with a MemoryError if the ledger can't be read", async () => {
    const { config, state } = world([done], { budget: { user: { maxTokens: 100 } } });
    state.isDown = true;
    const error = errorOf(await run(says("Hi"), config));
    expect(error).toMatchObject({ _tag: "MemoryError", error: { retryable: true } });
    expect(JAFErrorHandler.format(error)).toContain(
      "The budgets couldn't be checked, so no model was called.",
    );
  });

  it("ends with an abort that comes while the ledger is read", async () => {
    const { config, store } = world([done], { budget: { user: { maxTokens: 100 } } });
    const reading = deferred();
    const abort = new AbortController();
    const hanging = {
      ...store,
      amounts: () => {
        reading.resolve();
        return new Promise<never>(() => {});
      },
    };
    const running = run(says("Hi"), { ...config, ledger: { store: hanging }, signal: abort.signal });
    await reading.promise;
    abort.abort();
    expect(errorOf(await running)).toMatchObject({ _tag: "RunAborted" });
  });

  it("needs a ledger, a user and a tenant", async () => {
    const budget = { user: { maxTokens: 1 } } as const;
    const detailOf = async (config: Partial<RunConfig<unknown>>) =>
      errorOf(await run(says("Hi"), world([done], { budget, ...config }).config));
    const { store } = createEntryLedger();
    expect(await detailOf({ ledger: undefined as never })).toMatchObject({
      detail: expect.stringContaining("ledger: expected a ledger"),
    });
    expect(await detailOf({ memory: undefined as never })).toMatchObject({
      detail: expect.stringContaining("budget.user needs a user: set memory.userId"),
    });
    const ofTenant = { tenant: { maxTokens: 1 } } as const;
    expect(await detailOf({ budget: ofTenant, ledger: { store } })).toMatchObject({
      detail: expect.stringContaining("budget.tenant needs a tenant: set ledger.tenant"),
    });
    const failing = () => {
      throw new Error("no session");
    };
    expect(await detailOf({ budget: {}, ledger: { store, tenant: failing } })).toMatchObject({
      ...{ _tag: "InternalError", detail: "ledger.tenant failed" },
    });
    expect(await detailOf({ budget: {}, ledger: { store, tenant: "" } })).toMatchObject({
      detail: expect.stringContaining("ledger.tenant: expected"),
    });
    const agent: Agent<unknown, string> = { name: "helper", instructions: "" };
    const { modelProvider } = world([]).config;
    expect(() => createAgentClient(agent, { modelProvider, context: {}, budget })).toThrow(
      "ledger: expected a ledger",
    );
  });

  it("is shared by the agents that run as tools", async () => {
    const inner: Agent<unknown, string> = { name: "inner", instructions: "", tools: [look] };
    const { config, entries } = world(
      [{ toolCalls: [{ name: "inner", arguments: { task: "x" } }], usage }, looks, done],
      {
        budget: { user: { maxTokens: 200 } },
      },
    );
    const outer = {
      name: "helper",
      instructions: "",
      tools: [asTool(inner, { name: "inner", description: "" })],
    };
    const error = errorOf(await run(says("Hi"), { ...config, agentRegistry: new Map([["helper", outer]]) }));
    expect(error).toMatchObject({ _tag: "BudgetExceeded", of: "user", spent: 200 });
    expect(entries.map(({ agentName, userId }) => [agentName, userId])).toEqual([
      ["helper", "ada"],
      ["inner", "ada"],
    ]);
  });
});

describe("a ledger that can't record", () => {
  it("doesn't end the run, and is reported", async () => {
    const { config, events, state } = world([done]);
    state.isDown = true;
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(eventsOfType(events, "ledger_failed")).toEqual([
      { agentName: "helper", model: "large", reason: expect.stringContaining("the store is down") },
    ]);
  });

  it("is reported by a process warning if the run has no observer", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const { config, state } = world([done]);
    state.isDown = true;
    await run(says("Hi"), { ...config, onEvent: undefined as never });
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining("The ledger couldn't record a model call"),
    ]);
  });
});
