import { createInMemoryProvider, type MemoryProvider, type TraceId } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type MemoryConfig, type RunState, run } from "../src/index.ts";
import { createScriptedModel } from "../src/testing/index.ts";
import { errorOf, says, setup } from "./support/setup.ts";
import { tenMethods } from "./support/stores.ts";

async function ended(
  memory: Partial<MemoryConfig>,
  state: Partial<RunState<unknown>> = {},
  provider: MemoryProvider = createInMemoryProvider(),
) {
  const model = createScriptedModel(["Hello."]);
  const { config } = setup({
    model,
    config: { memory: { provider, autoStore: true, ...memory }, conversationId: "c" },
  });
  return { error: errorOf(await run({ ...says("Hi"), ...state }, config)), calls: model.requests.length };
}

describe("a memory configuration that a store would refuse", () => {
  it.each<[string, Partial<MemoryConfig>]>([
    ["maxMessages", { maxMessages: 0 }],
    ["maxMessages", { maxMessages: 1.5 }],
    ["ttl", { ttl: -1 }],
    ["ttl", { ttl: Number.NaN }],
    ["userId", { userId: "" }],
    ["userId", { userId: "a\0b" }],
    ["userId", { userId: "x".repeat(256) }],
    ["durability", { durability: "steps" as "step" }],
  ])("ends the run before the model is called: %s", async (field, memory) => {
    const { error, calls } = await ended(memory);
    expect(error).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryValidationError", issues: [{ path: `RunConfig.memory.${field}` }] },
    });
    expect(calls).toBe(0);
  });

  it.each(["", "a\ud800", "x".repeat(256)])("as does the traceId %j", async (traceId) => {
    const { error, calls } = await ended({}, { traceId: traceId as TraceId });
    expect(error).toMatchObject({ error: { issues: [{ path: "RunState.traceId" }] } });
    expect(calls).toBe(0);
  });
});

describe("a provider that returns an invalid answer", () => {
  const storageError = { _tag: "MemoryError", error: { _tag: "MemoryStorageError" } };

  it.each([undefined, null, {}, { success: true }, { success: true, data: {} }, { success: false }])(
    "ends the run when it is read: %j",
    async (answer) => {
      const read = async () => answer as never;
      const inner = createInMemoryProvider();
      for (const provider of [
        { ...inner, readConversation: read },
        { ...tenMethods(inner), getConversation: read },
      ]) {
        const { error, calls } = await ended({}, {}, provider);
        expect(error).toMatchObject(storageError);
        expect(calls).toBe(0);
      }
    },
  );

  it.each([undefined, null, {}, { success: false }])(
    "ends the run when it is written: %j",
    async (answer) => {
      const provider = { ...createInMemoryProvider(), appendMessages: async () => answer as never };
      expect((await ended({}, {}, provider)).error).toMatchObject(storageError);
    },
  );
});
