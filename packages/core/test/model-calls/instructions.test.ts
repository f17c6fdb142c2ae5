import { describe, expect, it, vi } from "vitest";
import { type Agent, type ModelProvider, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { abortable } from "../support/abort.ts";
import { errorOf, says, setup } from "../support/setup.ts";

type Instructions = Agent<unknown, unknown>["instructions"];

class Prompted implements Agent<unknown, unknown> {
  readonly name = "helper";
  readonly #prompt = "Help";
  async instructions({ messages }: { readonly messages: readonly unknown[] }) {
    return `${this.#prompt} ${messages.length}.`;
  }
}

describe("instructions", () => {
  it.each<[string, Instructions]>([
    ["a text", "Help 1."],
    ["a function", ({ messages }) => `Help ${messages.length}.`],
    ["an async function", async ({ messages }) => `Help ${messages.length}.`],
  ])("can be %s; the provider gets a function that returns the text", async (_kind, instructions) => {
    const model = createScriptedModel(["Hello."]);
    const { config } = setup({ model, agent: { instructions } });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(model.requests[0]?.instructions).toBe("Help 1.");
    expect(model.requests[0]?.agent.instructions(says("a", "b"))).toBe("Help 1.");
  });

  it("can be an async method of an agent that is a class", async () => {
    const model = createScriptedModel(["Hello."]);
    const { config } = setup({ model });
    await run(says("Hi"), { ...config, agentRegistry: new Map([["helper", new Prompted()]]) });
    expect(model.requests[0]?.instructions).toBe("Help 1.");
  });

  it("are computed once per call, not again for retries", async () => {
    const instructions = vi.fn(async () => "Help.");
    const busy = Object.assign(new Error("busy"), { status: 500 });
    const { config } = setup({ model: [busy, busy, "Hello."], agent: { instructions } });
    await run(says("Hi"), config);
    expect(instructions).toHaveBeenCalledTimes(1);
  });

  it("get the additions of middleware even if they are async", async () => {
    const model = createScriptedModel(["Hello."]);
    const middleware = [{ name: "adds", onStart: () => ({ instructions: "More." }) }];
    const { config } = setup({ model, agent: { instructions: async () => "Help." }, config: { middleware } });
    await run(says("Hi"), config);
    expect(model.requests[0]?.instructions).toBe("Help.\n\nMore.");
  });

  it.each<[string, () => unknown, string]>([
    [
      "throw",
      () => {
        throw new RangeError("no prompt");
      },
      "no prompt",
    ],
    ["reject", () => Promise.reject(new RangeError("no prompt")), "no prompt"],
    ["give no text", () => ({ text: "Help." }), "expected a text"],
    ["give no text later", async () => undefined, "expected a text"],
  ])("end the run without a model call if they %s", async (_how, instructions, message) => {
    const model = createScriptedModel([]);
    const { config } = setup({ model, agent: { instructions: instructions as () => string } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "InternalError",
      detail: 'the instructions of agent "helper" failed',
      cause: { message },
    });
    model.assertDone();
  });

  it("are given up after the time limit of a model call, or on an abort", async () => {
    const agent = { instructions: () => new Promise<string>(() => {}) };
    const late = setup({ model: [], agent, config: { timeouts: { modelMs: 5 } } });
    expect(errorOf(await run(says("Hi"), late.config))).toMatchObject({
      _tag: "InternalError",
      cause: { name: "TimeoutError" },
    });
    const { signal, abort } = abortable();
    const { config } = setup({ model: [], agent, config: { signal } });
    const running = run(says("Hi"), config);
    setTimeout(abort, 5);
    expect(errorOf(await running)._tag).toBe("RunAborted");
  });

  it("reach the provider of a request outside the conversation, too", async () => {
    const seen: string[] = [];
    const model: ModelProvider<unknown> = {
      getCompletion: async (state, agent) => {
        seen.push(agent.instructions(state));
        return { message: { content: "Hello." } };
      },
    };
    const middleware = [
      {
        name: "asks",
        onStart: async ({ complete }: { complete: (request: object) => Promise<string> }) => ({
          instructions: await complete({ instructions: "Ask.", messages: [] }),
        }),
      },
    ] as never;
    const { config } = setup({ model, agent: { instructions: "Help." }, config: { middleware } });
    await run(says("Hi"), config);
    expect(seen).toEqual(["Ask.", "Help.\n\nHello."]);
  });
});
