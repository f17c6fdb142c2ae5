import { createAgentClient } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { MemoryConversationStore } from "@jaf/memory";
import { afterEach, describe, expect, it } from "vitest";
import { Agent, type AgentConfig, AiRegistry, AnthropicProvider, OpenAIProvider } from "../src/index.ts";

afterEach(() => AiRegistry.reset());

class HelpAgent extends Agent {}

/** Registers a model with these replies. */
function registered(name: string, ...replies: readonly (string | Error)[]) {
  const model = createScriptedModel(replies);
  AiRegistry.register({ name, ...model });
  const asked = () => model.requests.map(({ config }) => config.modelOverride);
  return { model, asked };
}

describe("a model's name", () => {
  it("is the default model's without another name", async () => {
    const { asked } = registered("one", "Hello.");
    AiRegistry.setDefault("one/small");
    expect((await new HelpAgent().prompt("Hi")).text).toBe("Hello.");
    expect(asked()).toEqual(["small"]);
  });

  it("is the one of model(), with the rest of modelConfig()", async () => {
    const { model, asked } = registered("one", "Hello.");
    AiRegistry.setDefault("other/large");
    class OwnAgent extends Agent {
      override model() {
        return "one/small";
      }
      override modelConfig() {
        return { name: "other/medium", temperature: 0 };
      }
    }
    await new OwnAgent().prompt("Hi");
    expect(asked()).toEqual(["small"]);
    expect(model.requests[0]?.agent.modelConfig).toEqual({ name: "one/small", temperature: 0 });
  });

  it("can have further slashes", async () => {
    const { asked } = registered("openrouter", "Hello.");
    AiRegistry.setDefault("openrouter/anthropic/claude-sonnet-4.6:free");
    await new HelpAgent().prompt("Hi");
    expect(asked()).toEqual(["anthropic/claude-sonnet-4.6:free"]);
  });

  it("selects another provider in a fallback", async () => {
    const down = Object.assign(new Error("down"), { status: 529 });
    const one = registered("one", down);
    const two = registered("two", "Here I am.");
    class SafeAgent extends Agent {
      override config(): AgentConfig {
        return {
          modelOverride: "one/small",
          modelRetry: { maxAttempts: 1 },
          modelFallback: { models: ["two/large"] },
        };
      }
    }
    expect((await new SafeAgent().prompt("Hi")).text).toBe("Here I am.");
    expect([one.asked(), two.asked()]).toEqual([["small"], ["large"]]);
  });

  it("is routed for agent values, too", async () => {
    const { asked } = registered("one", "Hello.", "Hello again.");
    AiRegistry.setDefault("one/large");
    const { modelProvider } = AiRegistry;
    const value = { name: "value", instructions: "", modelConfig: { name: "one/small" } };
    await createAgentClient(value, { modelProvider, context: {} }).prompt("Hi");
    await createAgentClient(new HelpAgent().toValue(), { modelProvider, context: {} }).prompt("Hi");
    expect(asked()).toEqual(["small", "large"]);
  });

  it("is passed unchanged to the agent's own model provider", async () => {
    const model = createScriptedModel(["Hello."]);
    class OwnAgent extends Agent {
      override model() {
        return "small";
      }
      override config() {
        return { modelProvider: model };
      }
    }
    await new OwnAgent().prompt("Hi");
    expect(model.requests[0]?.agent.modelConfig?.name).toBe("small");
  });
});

describe("a provider that doesn't stream", () => {
  it("streams the whole reply in one chunk", async () => {
    AiRegistry.register({
      name: "whole",
      getCompletion: async () => ({
        message: { content: "Hello." },
        origin: { provider: "whole", api: "chat", model: "small" },
        finish_reason: "stop",
        usage: { inputTokens: 3, outputTokens: 2 },
      }),
    });
    AiRegistry.setDefault("whole/small");
    const stream = new HelpAgent().stream("Hi");
    const ends: unknown[] = [];
    for await (const event of stream) if (event.type === "llm_call_end") ends.push(event.data);
    const { text, usage, messages } = await stream.result;
    expect({ text, usage }).toEqual({ text: "Hello.", usage: { inputTokens: 3, outputTokens: 2 } });
    expect(ends).toEqual([expect.objectContaining({ finishReason: "stop", status: "success" })]);
    expect(messages.at(-1)).toMatchObject({ origin: { provider: "whole", api: "chat", model: "small" } });
  });
});

describe("a missing registration", () => {
  const ways: Readonly<Record<string, (agent: Agent) => unknown>> = {
    prompt: (agent) => agent.prompt("Hi"),
    stream: (agent) => agent.stream("Hi").result,
    forUser: (agent) => agent.forUser("user-42").prompt("Hi"),
    continue: (agent) => agent.continue("c").prompt("Hi"),
  };

  class StoredAgent extends Agent {
    readonly #model: string | undefined;
    constructor(model?: string) {
      super();
      this.#model = model;
    }
    override modelConfig() {
      return this.#model === undefined ? {} : { name: this.#model };
    }
    override config() {
      return { store: new MemoryConversationStore() };
    }
  }

  describe.each(Object.entries(ways))("is reported by %s", (_name, way) => {
    const told = (model?: string) => expect(async () => way(new StoredAgent(model))).rejects;

    it("if there is no provider", async () => {
      AiRegistry.setDefault("one/small");
      await told().toThrow(/^No AI provider is registered: call AiRegistry\.register\(new AnthropicProvider/);
    });

    it("if no model is named", async () => {
      registered("one");
      const message =
        'No model is named: call AiRegistry.setDefault("anthropic/claude-sonnet-4-6"), or return such a name from the agent\'s model().';
      await told().toThrow(new TypeError(message));
    });

    it("if only another provider is registered", async () => {
      registered("one");
      registered("two");
      const message =
        'No AI provider "ome" is registered, as the model "ome/small" needs: call AiRegistry.register with it. Registered: "one", "two".';
      await told("ome/small").toThrow(new TypeError(message));
    });

    it("if the name has no provider", async () => {
      registered("one");
      const message = 'Invalid model "gpt-5": expected "provider/model", e.g. "anthropic/claude-sonnet-4-6".';
      await told("gpt-5").toThrow(new TypeError(message));
    });
  });

  it("fails the call once for a fallback model", async () => {
    const { model } = registered("one", Object.assign(new Error("down"), { status: 529 }));
    class SafeAgent extends Agent {
      override config(): AgentConfig {
        const modelFallback = { models: ["two/large"] };
        return { modelOverride: "one/small", modelRetry: { maxAttempts: 1 }, modelFallback };
      }
    }
    const { outcome } = await new SafeAgent().prompt("Hi");
    expect(outcome).toMatchObject({ status: "error", error: { _tag: "ModelCallError", retryable: false } });
    expect(JSON.stringify(outcome)).toContain('No AI provider \\"two\\" is registered');
    model.assertDone();
  });
});

describe("AiRegistry.register", () => {
  it("refuses another provider with the same name, but accepts the same one again", () => {
    const provider = { name: "one", ...createScriptedModel([]) };
    AiRegistry.register(provider);
    AiRegistry.register(provider);
    expect(() => registered("one")).toThrow(
      'An AI provider "one" is registered already: give one of them another name, or call AiRegistry.reset() first.',
    );
    AiRegistry.reset();
    registered("one");
  });

  it.each([
    ["nothing", undefined, /name/],
    ["no name", createScriptedModel([]), /name/],
    ["an empty name", { name: "", ...createScriptedModel([]) }, /name/],
    ["a name with a slash", { name: "one/two", ...createScriptedModel([]) }, /without "\/"/],
    ["no model provider", { name: "one" }, /getCompletion/],
  ])("refuses %s", (_what, provider, message) => {
    expect(() => AiRegistry.register(provider as never)).toThrow(message);
    expect(() => AiRegistry.register(provider as never)).toThrow(TypeError);
  });

  it("accepts two services of one package by the option `provider`", () => {
    AiRegistry.register(new OpenAIProvider({ apiKey: "sk-1" }));
    AiRegistry.register(
      new OpenAIProvider({ apiKey: "sk-2", baseURL: "https://openrouter.ai/api/v1", provider: "openrouter" }),
    );
    expect(() => AiRegistry.register(new AnthropicProvider({ apiKey: "sk-3" }))).not.toThrow();
  });
});

describe("AiRegistry.setDefault", () => {
  it.each(["claude", "/claude", "anthropic/", "", undefined])("refuses %j", (name) => {
    expect(() => AiRegistry.setDefault(name as string)).toThrow(
      /^Invalid model .*expected "provider\/model"/,
    );
    expect(() => AiRegistry.setDefault(name as string)).toThrow(TypeError);
  });
});
