import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type Guardrail, run } from "../../src/index.ts";
import { countCalls, createScriptedModel } from "../../src/testing/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { deferred, errorOf, says, setup, user } from "../support/setup.ts";

const never = () => new Promise<never>(() => undefined);

describe("an aborted run", () => {
  it("calls nothing if it was aborted before it began", async () => {
    const { signal, abort } = abortable();
    abort();
    const model = createScriptedModel([]);
    const { config } = setup({ model, config: { signal } });
    expect(errorOf(await run(says("Hi"), config))).toEqual(aborted);
    expect(model.requests).toHaveLength(0);
  });

  it("doesn't wait for the model", async () => {
    const { signal, abort } = abortable();
    const { config } = setup({ model: { getCompletion: never }, config: { signal } });
    const running = run(says("Hi"), config);
    abort();
    expect(errorOf(await running)).toEqual(aborted);
  });

  it("passes the signal to the provider, and treats its AbortError as the abort", async () => {
    const { signal, abort } = abortable();
    const model = createScriptedModel([
      ({ config }) =>
        new Promise((_resolve, reject) => {
          config.signal?.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
        }),
    ]);
    const { config, events } = setup({ model, config: { signal } });
    const running = run(says("Hi"), config);
    abort();
    expect(errorOf(await running)).toEqual(aborted);
    expect(events.map(({ type }) => type)).not.toContain("llm_retry");
  });

  it("doesn't wait for a retry or make it", async () => {
    const { signal, abort } = abortable();
    const model = createScriptedModel([Object.assign(new Error("busy"), { status: 503 }), "never said"]);
    const { config } = setup({
      model,
      config: {
        signal,
        modelRetry: { baseDelayMs: 1e9, maxDelayMs: 1e9 },
        onEvent: ({ type }) => {
          if (type === "llm_retry") queueMicrotask(abort);
        },
      },
    });
    expect(errorOf(await run(says("Hi"), config))).toEqual(aborted);
    expect(model.requests).toHaveLength(1);
  });

  it.each(["initialInputGuardrails", "finalOutputGuardrails"] as const)(
    "doesn't wait for %s",
    async (which) => {
      const { signal, abort } = abortable();
      const reached = deferred();
      const hanging: Guardrail<string> = () => {
        reached.resolve();
        return never();
      };
      const { config, events } = setup({ model: ["Hello."], config: { signal, [which]: [hanging] } });
      const running = run(says("Hi"), config);
      await reached.promise;
      abort();
      expect(errorOf(await running)).toEqual(aborted);
      expect(events.map(({ type }) => type)).not.toContain("guardrail_tripped");
    },
  );

  it("doesn't wait for the conversation to load", async () => {
    const { signal, abort } = abortable();
    const provider = { ...createInMemoryProvider(), getConversation: never };
    const { config } = setup({
      model: [],
      config: { signal, memory: { provider, autoStore: true }, conversationId: "c" },
    });
    const running = run(says("Hi"), config);
    abort();
    expect(errorOf(await running)).toEqual(aborted);
  });

  it.each(["turn", "step"] as const)("stores nothing once it is aborted: %s", async (durability) => {
    const { signal, abort } = abortable();
    const provider = countCalls(createInMemoryProvider());
    const { config } = setup({
      model: [],
      config: {
        signal,
        memory: { provider, autoStore: true, durability },
        conversationId: "c",
        onEvent: ({ type }) => {
          if (type === "memory_loaded") abort();
        },
      },
    });
    expect(errorOf(await run(says("Hi"), config))).toEqual(aborted);
    expect(provider.calls).toEqual({ readConversation: 1 });
  });

  it("waits for a running write, and keeps the written messages", async () => {
    const { signal, abort } = abortable();
    const inner = createInMemoryProvider();
    const writing = deferred();
    const goOn = deferred();
    const provider: typeof inner = {
      ...inner,
      appendMessages: async (...args) => {
        writing.resolve();
        await goOn.promise;
        return inner.appendMessages(...args);
      },
    };
    const { config } = setup({
      model: ["never said"],
      config: { signal, memory: { provider, autoStore: true, durability: "turn" }, conversationId: "c" },
    });
    const running = run(says("Hi"), config);
    await writing.promise;
    abort();
    goOn.resolve();
    expect(errorOf(await running)).toEqual(aborted);
    expect(await inner.getRecentMessages("c")).toMatchObject({ data: [user("Hi")] });
  });

  it("is completed if the abort comes during its last write", async () => {
    const { signal, abort } = abortable();
    const inner = createInMemoryProvider();
    const provider: typeof inner = {
      ...inner,
      appendMessages: (...args) => {
        abort();
        return inner.appendMessages(...args);
      },
    };
    const { config } = setup({
      model: ["Hello."],
      config: { signal, memory: { provider, autoStore: true }, conversationId: "c" },
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
  });
});
