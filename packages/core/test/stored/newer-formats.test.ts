import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { FORMATS } from "../../src/stored/formats.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { errorOf, says, setup } from "../support/setup.ts";
import { recordWrites, seed, tenMethods } from "../support/stores.ts";

const RAISED = Object.entries(FORMATS).map(([key, format]) => [key, format + 1] as const);

async function metadataIn(provider: MemoryProvider) {
  const read = await provider.getConversation("c");
  return read.success ? read.data?.metadata : undefined;
}

describe("A conversation in a newer release's format", () => {
  it.each(RAISED)("ends the run before a model call or a write if %s has format %i", async (key, format) => {
    for (const wrap of [(provider: MemoryProvider) => provider, tenMethods]) {
      const stored = createInMemoryProvider();
      const value = { format, runId: 7, lease: "in another form" };
      await seed(stored, [], { [key]: value, title: "Mine" });
      const before = await metadataIn(stored);
      const { provider, writes } = recordWrites(wrap(stored));
      const model = createScriptedModel([]);
      const memory = { provider, autoStore: true, concurrency: "queue" } as const;
      const { config } = setup({ model, config: { memory, conversationId: "c" } });
      const error = errorOf(await run(says("Hi."), config));
      expect(error).toMatchObject({
        _tag: "MemoryError",
        error: {
          ...{ _tag: "MemoryStorageError", retryable: false },
          message: expect.stringContaining("upgrade this process"),
        },
      });
      expect(writes).toEqual([]);
      expect(await metadataIn(stored)).toEqual(before);
    }
  });

  it.each(RAISED)("is read if %s has the format that this release knows", async (key, raised) => {
    const provider = createInMemoryProvider();
    await seed(provider, [], { [key]: { format: raised - 1 } });
    const { config } = setup({
      model: createScriptedModel(["Hello."]),
      config: { memory: { provider, autoStore: true }, conversationId: "c" },
    });
    expect((await run(says("Hi."), config)).outcome.status).toBe("completed");
  });
});

describe("A run", () => {
  it("keeps metadata under keys that it doesn't know", async () => {
    const provider = createInMemoryProvider();
    const unknown = { jafOfLater: { format: 1, cursor: "7" }, title: "Mine" };
    await seed(provider, [], unknown);
    const { config } = setup({
      model: createScriptedModel(["Hello."]),
      config: { memory: { provider, autoStore: true }, conversationId: "c" },
    });
    await run(says("Hi."), config);
    expect(await metadataIn(provider)).toMatchObject(unknown);
  });
});
