import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { run, runStream } from "../../src/index.ts";
import { countCalls, createScriptedModel, ScriptError } from "../../src/testing/index.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

describe("a scripted model", () => {
  it("fails a call after its last step, and says which it was", async () => {
    const model = createScriptedModel(["One."]);
    const { config } = setup({ model });
    await run(says("1"), config);
    expect(errorOf(await run(says("2"), config))).toMatchObject({
      _tag: "ModelCallError",
      retryable: false,
      cause: {
        name: "ScriptError",
        message: expect.stringContaining("called a 2nd time, but its script has 1 step."),
      },
    });
    expect(() => model.assertDone()).toThrow("called a 2nd time");
  });

  it("says how many steps are left over", async () => {
    const model = createScriptedModel(["One.", "Two.", "Three."]);
    expect(() => model.assertDone()).toThrow("3 steps of 3 left over");
    await run(says("1"), setup({ model }).config);
    expect(() => model.assertDone()).toThrow(ScriptError);
    expect(() => model.assertDone()).toThrow("2 steps of 3 left over");
  });

  it("is done after its last step", async () => {
    const model = createScriptedModel(["One."]);
    await run(says("1"), setup({ model }).config);
    expect(() => model.assertDone()).not.toThrow();
  });

  it("records the requests, with the agent's instructions", async () => {
    const model = createScriptedModel(["One."]);
    const state = says("1");
    await run(state, setup({ model }).config);
    expect(model.requests).toMatchObject([{ state, instructions: "Help.", agent: { name: "helper" } }]);
  });

  it("lets a function choose a step by the request, also async", async () => {
    const model = createScriptedModel([
      async ({ state }) => `You said ${state.messages.at(-1)?.content}.`,
      () => new Error("no"),
    ]);
    const { config } = setup({ model });
    expect((await run(says("1"), config)).outcome).toEqual({ status: "completed", output: "You said 1." });
    expect(errorOf(await run(says("1"), config))._tag).toBe("ModelCallError");
  });

  it("answers every call by a function that stands in place of the list", async () => {
    const model = createScriptedModel(({ state }) => `You said ${state.messages.at(-1)?.content}.`);
    const { config } = setup({ model });
    for (const said of ["1", "2", "3"])
      expect((await run(says(said), config)).outcome).toMatchObject({ output: `You said ${said}.` });
    expect(() => model.assertDone()).not.toThrow();
  });

  it("streams a reply in pieces that join to the same reply", async () => {
    const reply = {
      text: " Let me  see…\n",
      toolCalls: [
        { name: "nope", arguments: { a: [1, 2] } },
        { name: "nope", arguments: "no json", id: "mine" },
      ],
    };
    const plain = await run(says("1"), setup({ model: [reply, "Done."] }).config);
    const { config, events } = setup({ model: [reply, "Done."] });
    const streamed = await runStream(says("1"), config).result;
    expect(streamed.finalState.messages).toEqual(plain.finalState.messages);
    expect(eventsOfType(events, "llm_delta").length).toBeGreaterThan(3);
  });
});

describe("countCalls", () => {
  it("counts by method and changes nothing", async () => {
    const provider = countCalls(createInMemoryProvider());
    await provider.appendMessages("c", [{ role: "user", content: "Hi" }], {}, { createIfMissing: "unowned" });
    await provider.getConversation("c");
    await provider.getConversation("c");
    expect(await provider.getRecentMessages("c", 1)).toMatchObject({
      success: true,
      data: [{ content: "Hi" }],
    });
    expect(provider.calls).toEqual({ appendMessages: 1, getConversation: 2, getRecentMessages: 1 });
  });

  it("calls a provider that is a class with its this", async () => {
    class Store {
      readonly #inner = createInMemoryProvider();
      getStats = undefined as never;
      async getRecentMessages(id: string) {
        return this.#inner.getRecentMessages(id);
      }
    }
    const provider = countCalls(new Store() as unknown as MemoryProvider);
    expect(await provider.getRecentMessages("c")).toEqual({ success: true, data: [] });
  });
});
