import { getEventListeners } from "node:events";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  createMemoryStorageError,
  type MemoryErrorUnion,
  type MemoryProvider,
  withFallback,
  withRetry,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { assistant, errorOf, eventsOfType, says, setup, user } from "../support/setup.ts";
import { recordWrites, storedMessages } from "../support/stores.ts";

/** Fails the first `failures` appends. `afterWriting`: the write is made, but its answer is lost. */
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

describe("an append that fails with a transient error", () => {
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

  it("isn't retried if that is useless", async () => {
    const { config, keys } = flaky(1, false, createMemoryStorageError("appendMessages", "the disk is full"));
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("MemoryError");
    expect(keys()).toHaveLength(1);
  });

  it("isn't retried after an abort", async () => {
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

describe("an append to a provider that retries", () => {
  /** A store that fails every append. */
  function down(maxAttempts: number, wrap: (provider: MemoryProvider) => MemoryProvider = (same) => same) {
    const { provider, writes } = recordWrites({
      ...createInMemoryProvider(),
      appendMessages: async () => createFailure(createMemoryConnectionError("test")),
    });
    const retrying = wrap(withRetry(provider, { maxAttempts, baseDelayMs: 0 }));
    const { config, events } = setup({
      model: createScriptedModel(["Hello."]),
      config: { memory: { provider: retrying, autoStore: true, durability: "turn" }, conversationId: "c" },
    });
    return { config, events, writes };
  }

  it.each([1, 2, 5])(
    "is made as often as the provider's retries say, not three times as often: %i",
    async (attempts) => {
      const { config, events, writes } = down(attempts);
      expect(errorOf(await run(says("Hi"), config))).toMatchObject({
        _tag: "MemoryError",
        error: { _tag: "MemoryConnectionError", attempts },
      });
      expect(writes).toHaveLength(attempts);
      expect(eventsOfType(events, "memory_retry")).toEqual([]);
    },
  );

  it("is retried equally through other wrappers", async () => {
    const { config, writes } = down(5, (provider) => withFallback(provider, createInMemoryProvider()));
    await run(says("Hi"), config);
    expect(writes).toHaveLength(5);
  });

  it("stops with the run: its signal ends the delays between attempts", async () => {
    const { signal, abort } = abortable();
    const { provider, writes } = recordWrites({
      ...createInMemoryProvider(),
      appendMessages: async () => createFailure(createMemoryConnectionError("test")),
    });
    const retrying = withRetry(provider, { baseDelayMs: 60_000, random: () => 1, onRetry: abort });
    const { config } = setup({
      model: ["Hello."],
      config: { memory: { provider: retrying, autoStore: true, durability: "turn" }, conversationId: "c" },
    });
    await run(says("Hi"), { ...config, signal });
    expect(writes.length).toBe(1);
  });

  it("stops a read with the run, too", async () => {
    const { signal, abort } = abortable();
    const inner = createInMemoryProvider();
    const { signal: waits } = new AbortController();
    let reads = 0;
    const down: typeof inner = {
      ...inner,
      readConversation: async () => {
        reads += 1;
        return createFailure(createMemoryConnectionError("test"));
      },
    };
    const provider = withRetry(down, { baseDelayMs: 60_000, random: () => 1, signal: waits, onRetry: abort });
    const { config } = setup({
      model: ["Hello."],
      config: { memory: { provider, autoStore: true }, conversationId: "c" },
    });
    expect(errorOf(await run(says("Hi"), { ...config, signal }))).toEqual(aborted);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toBe(1);
    expect(getEventListeners(waits, "abort")).toHaveLength(0);
  });
});
