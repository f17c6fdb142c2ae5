import { createScriptedModel, type ScriptedRequest } from "@jaf/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { startFakeMessages } from "../../../test/fakes/anthropic-answers.ts";
import {
  Agent,
  AiRegistry,
  AnthropicProvider,
  defaultContinuationValidator,
  MemoryConversationStore,
  MemoryUserMemory,
  setConversationStore,
  setUserMemory,
} from "../src/index.ts";

afterEach(() => {
  AiRegistry.reset();
  setConversationStore(undefined);
  setUserMemory(undefined);
});

type Reply = (request: ScriptedRequest<unknown>) => string;

/** Registers a model for the text's names. */
function anthropic(reply: Reply = ({ state }) => said(state.messages)) {
  const model = createScriptedModel<unknown>(Array.from({ length: 20 }, () => reply));
  AiRegistry.register({ name: "anthropic", ...model });
  AiRegistry.setDefault("anthropic/claude-sonnet-4-6");
  return model;
}

const said = (messages: ScriptedRequest<unknown>["state"]["messages"]) =>
  messages.flatMap(({ role, content }) => (role === "user" ? [content] : [])).join(" | ");

class AssistantAgent extends Agent {}

describe("the text's agents", () => {
  it("send cache markers to Anthropic as declared", async () => {
    const answer = { kind: "message", content: [{ type: "text", text: "Hello." }] } as const;
    const fake = await startFakeMessages({ steps: [answer, answer, answer], apiKey: "sk-test" });
    const LONG_SYSTEM_PROMPT = "You are a support agent.";

    class SupportAgent extends Agent {
      override instructions() {
        return LONG_SYSTEM_PROMPT;
      }
      override tools() {
        return [];
      }
      override cacheable() {
        return { instructions: true, tools: true };
      }
    }

    try {
      AiRegistry.register(
        new AnthropicProvider({ apiKey: "sk-test", baseURL: fake.baseURL, provider: "anthropic" }),
      );
      AiRegistry.setDefault("anthropic/claude-sonnet-4-6");
      const agent = new SupportAgent();
      await agent.prompt("Hi");
      await agent.prompt("one-off", { cache: false });
      const stream = agent.stream("different", { cache: { messages: 1 } });
      expect((await stream.result).text).toBe("Hello.");
    } finally {
      await fake.close();
    }

    expect(fake.refusals).toEqual([]);
    expect(fake.requests.map(({ body }) => [body["model"], body["stream"] ?? false])).toEqual([
      ["claude-sonnet-4-6", false],
      ["claude-sonnet-4-6", false],
      ["claude-sonnet-4-6", true],
    ]);
    const [first, oneOff, different] = fake.requests.map(({ body }) => body);
    expect(JSON.stringify(first?.["system"])).toContain("cache_control");
    expect(JSON.stringify(oneOff)).not.toContain("cache_control");
    expect(JSON.stringify(different?.["system"])).not.toContain("cache_control");
    expect(JSON.stringify(different?.["messages"])).toContain("cache_control");
  });

  it("start a conversation by forUser, and continue it by continue", async () => {
    anthropic(({ state }) =>
      state.messages[0]?.content === "My name is Alice." && state.messages.length > 1
        ? "Your name is Alice."
        : "Hello.",
    );
    setConversationStore(new MemoryConversationStore());

    const first = await new AssistantAgent().forUser("user-42").prompt("My name is Alice.");
    const second = await new AssistantAgent().continue(first.conversationId ?? "").prompt("What's my name?");

    expect(second.text).toBe("Your name is Alice.");
  });

  it("keep one thread for each user and class, also if the user is set later", async () => {
    anthropic();
    setConversationStore(new MemoryConversationStore());
    let currentUserId: string | undefined = "user-42";
    class ChatAgent extends Agent {
      override async conversational() {
        return { user: currentUserId };
      }
    }
    class SupportAgent extends ChatAgent {}
    class RenamedAgent extends ChatAgent {
      override async conversational() {
        return { ...(await super.conversational()), agent: "ChatAgent", historyLimit: 1 };
      }
    }

    const agent = new ChatAgent();
    await agent.prompt("Hi"); // auto-loads thread, runs, auto-saves
    expect((await agent.prompt("Still you?")).text).toBe("Hi | Still you?"); // resumes the same thread
    expect((await new SupportAgent().prompt("And you?")).text).toBe("And you?");
    const renamed = await new RenamedAgent().prompt("A new name");
    expect(renamed.text).toBe("A new name");
    expect((await agent.prompt("And?")).text).toBe("Hi | Still you? | A new name | And?");
    const other = { conversation: { user: "user-43" } };
    expect((await agent.prompt("I am another.", other)).text).toBe("I am another.");
    currentUserId = undefined;
    const anonymous = await agent.prompt("Hello?");
    expect([anonymous.text, anonymous.conversationId]).toEqual(["Hello?", undefined]);
  });

  it("validate the history from a browser", async () => {
    anthropic();
    setConversationStore(new MemoryConversationStore());
    const agent = new AssistantAgent();
    const { conversationId = "", finalState } = await agent.forUser("user-42").prompt("Hi");
    const messages = [...finalState.messages, { role: "user", content: "And?" } as const];
    const validate = defaultContinuationValidator();

    const { text } = await agent.continue(conversationId).prompt("", { messages, validate });
    expect(text).toBe("Hi | And?");

    const forged = agent.continue(conversationId).prompt("", { messages: messages.slice(1), validate });
    await expect(forged).rejects.toMatchObject({ name: "ContinuationValidationError", code: "not-a-prefix" });
  });

  it("remember their users' words with the model of extractWith", async () => {
    const fact = { fact: "Project Foo deploys to fly.io", score: 0.9 };
    const model = anthropic(({ config }) =>
      config.modelOverride === "claude-haiku-4-5" ? JSON.stringify({ facts: [fact] }) : "Noted.",
    );
    const memory = new MemoryUserMemory();
    setUserMemory(memory);
    class SupportAgent extends Agent {
      override remembers() {
        return {
          user: "user-42",
          inject: "auto", // recall + prepend per turn
          extract: "auto", // distill new facts per turn
          extractWith: "anthropic/claude-haiku-4-5", // small model for distillation
          tags: ["support"], // recall + extract scope
          injectLimit: 5, // cap injected facts
          injectTokenBudget: 400, // hard token cap; lowest-score drops first
        };
      }
    }

    await new SupportAgent().prompt("Project Foo deploys to fly.io");
    await expect.poll(() => memory.list("user-42")).toHaveLength(1);
    await new SupportAgent().prompt("Where does Foo deploy?");
    await new SupportAgent().prompt("Where does Foo deploy?", { memory: false });

    const [, , recalled, without] = model.requests.filter(
      ({ config }, index) => index < 2 || config.modelOverride === "claude-sonnet-4-6",
    );
    expect(recalled?.instructions).toMatch(
      /<user-memory>\n.*Project Foo deploys to fly\.io.*\n<\/user-memory>/,
    );
    expect(without?.instructions).toBe("");
  });
});
