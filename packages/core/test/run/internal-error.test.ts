import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type Message, run } from "../../src/index.ts";
import { countCalls, createScriptedModel } from "../../src/testing/index.ts";
import { errorOf, says, setup, told, user } from "../support/setup.ts";

const tool = (name: string) =>
  createTool({ name, description: "", parameters: z.object({}), execute: () => "ok" });

describe("a bug in the program", () => {
  it("ends the run with an InternalError and its last event", async () => {
    const agentRegistry = new Map(setup({ model: [] }).config.agentRegistry);
    agentRegistry.get = () => {
      throw new Error("a bug in the registry");
    };
    const { config, events } = setup({ model: ["never"], config: { agentRegistry } });
    const state = says("Hi");
    const ended = await run(state, config);
    const error = {
      _tag: "InternalError",
      detail: "code that must not throw threw an error",
      cause: { name: "Error", message: "a bug in the registry" },
    };
    expect(errorOf(ended)).toEqual(error);
    expect(ended.finalState).toEqual(state);
    expect(told(events.at(-1))).toEqual({ type: "run_end", data: { outcome: { status: "error", error } } });
  });

  it("is an outcome if the config has no registry", async () => {
    const { config } = setup({ model: ["never"], config: { agentRegistry: undefined as never } });
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("InternalError");
  });

  it("is an outcome if the state's messages aren't a list", async () => {
    const { config } = setup({ model: ["never"] });
    for (const messages of [undefined, [null]] as unknown as Message[][]) {
      expect(errorOf(await run({ ...says(), messages }, config))._tag).toBe("InternalError");
    }
  });

  it("keeps the earlier steps in the final state", async () => {
    const agentRegistry = new Map(setup({ model: [], tools: [tool("a")] }).config.agentRegistry);
    const model = createScriptedModel([
      () => {
        agentRegistry.get = () => {
          throw new Error("a bug in the registry");
        };
        return { toolCalls: [{ name: "a" }] };
      },
    ]);
    const ended = await run(says("Hi"), setup({ model, config: { agentRegistry } }).config);
    expect(errorOf(ended)._tag).toBe("InternalError");
    expect(ended.finalState.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });
});

describe("an agent with two tools of the same name", () => {
  it("is refused before anything is stored or the model is called", async () => {
    const provider = countCalls(createInMemoryProvider());
    const model = createScriptedModel(["never"]);
    const memory = { provider, autoStore: true, durability: "turn" } as const;
    const { config } = setup({
      model,
      tools: [tool("a"), tool("b"), tool("a")],
      config: { memory, conversationId: "c" },
    });
    expect(errorOf(await run(says(user("Hi")), config))).toEqual({
      _tag: "InternalError",
      detail: 'agent "helper" has two tools named "a"',
    });
    expect(model.requests).toHaveLength(0);
    expect(provider.calls).toEqual({});
  });
});
