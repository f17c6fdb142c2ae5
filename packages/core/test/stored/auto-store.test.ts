import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  type MemoryProvider,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type MemoryConfig, run } from "../../src/index.ts";
import { countCalls, createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { assistant, calling, errorOf, eventsOfType, result, says, setup, user } from "../support/setup.ts";
import { failAppends, recordWrites, seed, storedMessages } from "../support/stores.ts";

const echo = createTool({ name: "echo", description: "", parameters: z.object({}), execute: () => "echoed" });

function stored(
  steps: readonly ScriptedStep<unknown>[],
  memory: Partial<MemoryConfig> = {},
  provider = createInMemoryProvider(),
) {
  const model = createScriptedModel(steps);
  const { config, events } = setup({
    model,
    tools: [echo],
    config: { memory: { provider, autoStore: true, ...memory }, conversationId: "c" },
  });
  return { model, config, events, provider };
}

describe("auto-store", () => {
  it("needs two store calls per turn, also in the first turn and with tools", async () => {
    const provider = countCalls(createInMemoryProvider());
    const { config } = stored(["One."], { provider });
    await run(says("1"), config);
    expect(provider.calls).toEqual({ readConversation: 1, appendMessages: 1 });
    const next = stored([{ toolCalls: [{ name: "echo" }, { name: "echo" }] }, "Two."], { provider });
    await run(says("2"), next.config);
    expect(provider.calls).toEqual({ readConversation: 2, appendMessages: 2 });
  });

  it("sends the stored history before the new messages, and appends only the new ones", async () => {
    const provider = createInMemoryProvider();
    await run(says("1"), stored(["One."], {}, provider).config);
    const { model, config, events } = stored([{ toolCalls: [{ name: "echo" }] }, "Two."], {}, provider);
    const { finalState } = await run(says("2"), config);
    expect(model.requests[0]?.state.messages).toEqual([user("1"), assistant("One."), user("2")]);
    const all = [
      user("1"),
      assistant("One."),
      user("2"),
      calling(["call_1", "echo"]),
      result("call_1", "echoed"),
      assistant("Two."),
    ];
    expect(await storedMessages(provider)).toEqual(all);
    expect(finalState.messages).toEqual(all);
    expect(eventsOfType(events, "memory_loaded")).toEqual([{ conversationId: "c", messageCount: 2 }]);
    expect(eventsOfType(events, "memory_stored")).toEqual([{ conversationId: "c", messageCount: 4 }]);
  });

  it("doesn't duplicate messages of the last run's final state", async () => {
    const provider = createInMemoryProvider();
    let state = says("1");
    for (const round of ["2", "3", "4"]) {
      const { finalState } = await run(state, stored([`Reply before ${round}.`], {}, provider).config);
      state = { ...finalState, messages: [...finalState.messages, user(round)] };
    }
    await run(state, stored(["Last."], {}, provider).config);
    expect((await storedMessages(provider)).map(({ content }) => content)).toEqual([
      "1",
      "Reply before 2.",
      "2",
      "Reply before 3.",
      "3",
      "Reply before 4.",
      "4",
      "Last.",
    ]);
  });

  it("doesn't duplicate them if the store has dropped the oldest messages", async () => {
    const provider = createInMemoryProvider();
    let state = says("1");
    for (const round of ["2", "3", "4"]) {
      const { finalState } = await run(state, stored([`r${round}`], { maxMessages: 3 }, provider).config);
      state = { ...finalState, messages: [...finalState.messages, user(round)] };
    }
    const { model, config } = stored(["last"], { maxMessages: 3 }, provider);
    await run(state, config);
    expect(model.requests[0]?.state.messages.map(({ content }) => content)).toEqual(["3", "r4", "4"]);
    expect((await storedMessages(provider)).map(({ content }) => content)).toEqual(["r4", "4", "last"]);
  });

  it("repairs a history with an unanswered call for the model, without changing the store", async () => {
    const provider = createInMemoryProvider();
    await seed(provider, [user("1"), calling(["lost", "echo"]), user("still there?")]);
    const { model, config } = stored(["Yes."], {}, provider);
    await run(says("2"), config);
    expect(model.requests[0]?.state.messages).toEqual([user("1"), user("still there?"), user("2")]);
    expect(await storedMessages(provider)).toHaveLength(5);
  });

  it("hides open calls from the model after a new message, without running them", async () => {
    const provider = createInMemoryProvider();
    await seed(provider, [user("1"), calling(["lost", "echo"])]);
    const { model, config, events } = stored(["Hello."], {}, provider);
    await run(says("2"), config);
    expect(model.requests[0]?.state.messages).toEqual([user("1"), user("2")]);
    expect(eventsOfType(events, "tool_call_start")).toEqual([]);
  });

  it("passes maxMessages, ttl, user and trace to the store", async () => {
    const { provider, writes } = recordWrites(createInMemoryProvider());
    const { config } = stored(["Hello."], { provider, maxMessages: 100, ttl: 60, userId: "u1" });
    const state = says("Hi");
    await run(state, config);
    expect(writes).toEqual([
      {
        messages: [user("Hi"), assistant("Hello.")],
        metadata: {
          traceId: state.traceId,
          userId: "u1",
          jaf: {
            runId: state.runId,
            agentName: "helper",
            lease: { id: expect.stringMatching(/^[\w-]{36}$/), sign: 1, until: 0 },
          },
        },
        options: {
          createIfMissing: true,
          expectedIncarnation: expect.any(String),
          expectedVersion: 0,
          maxMessages: 100,
          ttlSeconds: 60,
          idempotencyKey: expect.stringMatching(/^run:[\w-]{43}$/),
        },
      },
    ]);
  });

  it("never reuses an idempotency key, even for the same texts", async () => {
    const { provider, writes } = recordWrites(createInMemoryProvider());
    for (const reply of ["a", "b"]) {
      const state = says("Hi");
      const steps = [{ toolCalls: [{ name: "echo" }] }, reply];
      await run(state, stored(steps, { provider, durability: "step" }).config);
    }
    expect(new Set(writes.map(({ options }) => options?.idempotencyKey)).size).toBe(writes.length);
    expect(writes).toHaveLength(8);
  });

  it("does nothing unless autoStore is on", async () => {
    const provider = countCalls(createInMemoryProvider());
    const { config } = stored(["Hello."], { provider, autoStore: false });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(provider.calls).toEqual({});
  });

  it("is an error without a conversationId", async () => {
    const { config, model } = stored(["Hello."]);
    const { conversationId: _, ...withoutId } = config;
    expect(errorOf(await run(says("Hi"), withoutId))).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryValidationError", issues: [{ path: "RunConfig.conversationId" }] },
    });
    expect(model.requests).toHaveLength(0);
  });

  it.each(["", "a\0b", "x".repeat(256)])("is an error with the conversationId %j", async (conversationId) => {
    const { config } = stored(["Hello."]);
    expect(errorOf(await run(says("Hi"), { ...config, conversationId }))).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryValidationError" },
    });
  });

  it("works with hostile but valid ids", async () => {
    for (const conversationId of ["*", "%", ":", "{}", "__proto__", "ünï", "x".repeat(255)]) {
      const { config, provider } = stored(["Hello."]);
      expect((await run(says("Hi"), { ...config, conversationId })).outcome.status).toBe("completed");
      expect(await storedMessages(provider, conversationId)).toHaveLength(2);
    }
  });
});

describe("the owner of a conversation", () => {
  it("is the run's user", async () => {
    const { config, provider } = stored(["Hello."], { userId: "u1" });
    await run(says("Hi"), config);
    expect(await provider.getConversation("c")).toMatchObject({ data: { userId: "u1" } });
  });

  it("is the only user with access: others get a conflict without messages", async () => {
    const provider = createInMemoryProvider();
    await run(says("my secret"), stored(["Noted."], { userId: "u1" }, provider).config);
    const { config, model, events } = stored(["never"], { userId: "u2" }, provider);
    const state = says("Hi");
    const ended = await run(state, config);
    expect(errorOf(ended)).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryConflictError", reason: "owner" },
    });
    expect(model.requests).toHaveLength(0);
    expect(ended.finalState).toEqual(state);
    expect(JSON.stringify([ended, events])).not.toMatch(/my secret|u1|Noted/);
    expect(await storedMessages(provider)).toHaveLength(2);
  });

  it("isn't checked by a run without a userId", async () => {
    const provider = createInMemoryProvider();
    await run(says("1"), stored(["One."], { userId: "u1" }, provider).config);
    const { outcome } = await run(says("2"), stored(["Two."], {}, provider).config);
    expect(outcome.status).toBe("completed");
    expect(await provider.getConversation("c")).toMatchObject({ data: { userId: "u1" } });
  });
});

describe("a store that fails", () => {
  it("ends the run before the model is called if it can't be read", async () => {
    const error = createMemoryConnectionError("test");
    const provider = { ...createInMemoryProvider(), readConversation: async () => createFailure(error) };
    const { config, model } = stored(["never"], { provider });
    expect(errorOf(await run(says("Hi"), config))).toEqual({ _tag: "MemoryError", error });
    expect(model.requests).toHaveLength(0);
  });

  it("ends the run if it throws", async () => {
    const readConversation = () => {
      throw new Error("a bug");
    };
    const provider = { ...createInMemoryProvider(), readConversation };
    const { config } = stored(["never"], { provider: provider as MemoryProvider });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryStorageError", operation: "readConversation", cause: { message: "a bug" } },
    });
  });

  it.each(["before", "throw"] as const)("is an outcome when the reply can't be stored: %s", async (mode) => {
    const inner = createInMemoryProvider();
    const { config } = stored(["Hello."], { provider: failAppends(inner, 1, mode) });
    const ended = await run(says("Hi"), config);
    expect(errorOf(ended)._tag).toBe("MemoryError");
    expect(ended.finalState.messages).toEqual([user("Hi"), assistant("Hello.")]);
    expect(await storedMessages(inner)).toEqual([]);
  });
});
