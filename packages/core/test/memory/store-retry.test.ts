import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  createMemoryStorageError,
  type MemoryErrorUnion,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { abortable } from "../support/abort.ts";
import { assistant, errorOf, eventsOfType, says, setup, user } from "../support/setup.ts";
import { recordWrites, storedMessages } from "../support/stores.ts";

/** Fails the first `failures` appends; `afterWriting`: the write is there, only the answer got lost. */
function flaky(
  failures: number,
  afterWriting: boolean,
  error: MemoryErrorUnion = createMemoryConnectionError("test"),
) {
  const inner = createInMemoryProvider();
  let left = failures;
  const failing: typeof inner = {
    ...inner,
    appendMessages: async (...args) => {
      if (left-- <= 0) return inner.appendMessages(...args);
      if (afterWriting) await inner.appendMessages(...args);
      return createFailure(error);
    },
  };
  const { provider, writes } = recordWrites(failing);
  const { config, events } = setup({
    model: createScriptedModel(["Hello."]),
    config: { memory: { provider, autoStore: true, durability: "turn" }, conversationId: "c" },
  });
  const keys = () => writes.map(({ options }) => options?.idempotencyKey);
  return { config, events, inner, keys };
}

describe("an append that fails and may succeed later", () => {
  it.each([
    ["refused", false],
    ["written, and the answer lost", true],
  ])("is tried again under the same key, and lands once: %s", async (_how, afterWriting) => {
    const { config, events, inner, keys } = flaky(2, afterWriting);
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(await storedMessages(inner)).toEqual([user("Hi"), assistant("Hello.")]);
    expect(new Set(keys().slice(0, 3)).size).toBe(1);
    expect(keys()[3]).not.toBe(keys()[0]);
    expect(eventsOfType(events, "memory_retry")).toMatchObject([
      { conversationId: "c", attempt: 1, reason: expect.stringContaining("Cannot reach") },
      { conversationId: "c", attempt: 2 },
    ]);
    expect(eventsOfType(events, "memory_stored")).toHaveLength(2);
  });

  it("is given up after three attempts", async () => {
    const { config, keys } = flaky(3, false);
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryConnectionError" },
    });
    expect(keys()).toHaveLength(3);
  });

  it("is given up at once if it is of no use", async () => {
    const { config, keys } = flaky(1, false, createMemoryStorageError("appendMessages", "the disk is full"));
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("MemoryError");
    expect(keys()).toHaveLength(1);
  });

  it("isn't tried again after an abort", async () => {
    const { signal, abort } = abortable();
    const { config, keys } = flaky(3, false);
    const ended = await run(says("Hi"), {
      ...config,
      signal,
      onEvent: ({ type }) => {
        if (type === "memory_retry") abort();
      },
    });
    expect(ended.outcome.status).toBe("error");
    expect(keys()).toHaveLength(1);
  });
});
