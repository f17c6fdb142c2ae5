import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { type Agent, createTool, type ModelUsage, type RunConfig, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { createEntryLedger } from "../support/ledger.ts";
import { says, setup } from "../support/setup.ts";

const tool = (name: string) =>
  createTool({ name, description: "", parameters: z.object({ a: z.string() }), execute: () => "seen" });

const definition = { name: "look", description: "", execute: () => "seen" };

interface Turn {
  readonly usage: ModelUsage;
  readonly agent?: Partial<Agent<unknown, unknown>>;
  readonly config?: Partial<RunConfig<unknown>>;
}

/** Runs turns of one stored conversation and returns the causes of their calls. */
async function causesOf(...turns: readonly Turn[]) {
  const { store, entries } = createEntryLedger();
  const memory = { provider: createInMemoryProvider(), autoStore: true };
  for (const [index, { usage, agent, config }] of turns.entries()) {
    const model = createScriptedModel<unknown>([{ text: "Done.", usage }]);
    const own = { ledger: { store }, memory, conversationId: "c", ...config };
    const runnable = setup({
      model,
      tools: [tool("look")],
      config: own,
      agent: { instructions: "Help.", modelConfig: { name: "large" }, ...agent },
    });
    const { outcome } = await run(says(`Hi ${index}`), runnable.config);
    expect(outcome.status).toBe("completed");
  }
  return entries.map(({ cacheMiss }) => cacheMiss);
}

const cold = { inputTokens: 4_000, cachedInputTokens: 0 };
const warm = { inputTokens: 4_100, cachedInputTokens: 3_840 };

describe("the cause of a cache miss", () => {
  it("isn't told if the call read what it could, or if the service doesn't report it", async () => {
    expect(await causesOf({ usage: cold }, { usage: warm })).toEqual(["first-call", undefined]);
    expect(await causesOf({ usage: { inputTokens: 4_000 } }, { usage: { inputTokens: 4_100 } })).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("isn't told for prompts that are too short for a cache", async () => {
    const short = { inputTokens: 900, cachedInputTokens: 0 };
    expect(await causesOf({ usage: short }, { usage: { ...short, inputTokens: 1_500 } })).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("isn't told if nothing was written for the call to read", async () => {
    const unasked = { ...cold, cacheWriteTokens: 0 };
    expect(await causesOf({ usage: unasked }, { usage: unasked })).toEqual([undefined, undefined]);
    const instructions = { ...cold, cacheWriteTokens: 2_000 };
    const read = { inputTokens: 5_000, cachedInputTokens: 2_000, cacheWriteTokens: 0 };
    expect(await causesOf({ usage: instructions }, { usage: read })).toEqual(["first-call", undefined]);
  });

  it.each([
    ["model", { agent: { modelConfig: { name: "small" } } }],
    ["instructions", { agent: { instructions: () => "Help now." } }],
    ["tools", { agent: { tools: [tool("look"), tool("listen")] } }],
    ["unknown", {}],
  ] as const)("is %s", async (cause, change) => {
    expect(await causesOf({ usage: cold }, { usage: cold, ...change })).toEqual(["first-call", cause]);
  });

  it("is tools if a parameter of a tool changed, and unknown if an equal tool was created again", async () => {
    const other = createTool({ ...definition, parameters: z.object({ a: z.number() }) });
    const same = createTool({ ...definition, parameters: z.object({ a: z.string() }) });
    expect(await causesOf({ usage: cold }, { usage: cold, agent: { tools: [other] } })).toEqual([
      ...["first-call", "tools"],
    ]);
    expect(await causesOf({ usage: cold }, { usage: cold, agent: { tools: [same] } })).toEqual([
      ...["first-call", "unknown"],
    ]);
  });

  it("is messages if a window moved", async () => {
    const provider = createInMemoryProvider();
    const memory = { provider, autoStore: true, window: { maxMessages: 1 } };
    const config = { memory };
    expect(await causesOf({ usage: cold, config }, { usage: cold, config })).toEqual([
      ...["first-call", "messages"],
    ]);
  });

  it("is expired if the previous call was longer ago than the cache keeps a prompt", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const later = (minutes: number) => () => {
      vi.setSystemTime(Date.now() + minutes * 60_000);
      return "Help.";
    };
    const turn = (minutes: number, cache?: RunConfig<unknown>["cache"]): Turn => ({
      usage: cold,
      agent: { instructions: later(minutes) },
      config: { ...(cache !== undefined && { cache }) },
    });
    expect(await causesOf(turn(0), turn(4), turn(6), turn(59, {}), turn(61, {}))).toEqual([
      ...["first-call", "unknown", "expired", "unknown", "expired"],
    ]);
    expect(await causesOf(turn(0), turn(29, { ttl: "30m" }), turn(31, { ttl: "30m" }))).toEqual([
      ...["first-call", "unknown", "expired"],
    ]);
  });

  it("compares the calls of a run that stores nothing, too", async () => {
    const { store, entries } = createEntryLedger();
    const usage = cold;
    const model = createScriptedModel<unknown>([
      { toolCalls: [{ name: "look", arguments: { a: "" } }], usage },
      { text: "Done.", usage: warm },
    ]);
    const { config } = setup({ model, tools: [tool("look")], config: { ledger: { store } } });
    await run(says("Hi"), config);
    expect(entries.map(({ cacheMiss, tool }) => [cacheMiss, tool])).toEqual([
      ["first-call", undefined],
      [undefined, "look"],
    ]);
  });
});

describe("a run without a ledger", () => {
  it("stores no record of its prompts", async () => {
    const provider = createInMemoryProvider();
    const memory = { provider, autoStore: true };
    const model = createScriptedModel<unknown>([{ text: "Done.", usage: cold }]);
    await run(says("Hi"), setup({ model, config: { memory, conversationId: "c" } }).config);
    const stored = await provider.getConversation("c");
    expect(JSON.stringify(stored)).not.toContain("prompts");
  });
});
