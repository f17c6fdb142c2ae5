import { defaultContinuationValidator, MemoryConversationStore } from "@jaf/memory";
import { afterEach, describe, expect, it } from "vitest";
import { type Agent, createAgentClient, setConversationStore } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { createEcho, type Session } from "../support/client.ts";

afterEach(() => setConversationStore(undefined));

describe("the examples of the specification on conversation persistence", () => {
  it("begin a conversation with forUser and resume it with continue", async () => {
    setConversationStore(new MemoryConversationStore());
    const assistant: Agent<Session, string> = { name: "AssistantAgent", instructions: () => "" };
    const agent = createAgentClient(assistant, {
      modelProvider: createScriptedModel<Session>([
        "Hello, Alice.",
        ({ state }) =>
          state.messages[0]?.content === "My name is Alice." ? "Your name is Alice." : "I don't know.",
      ]),
      context: {},
    });

    const first = await agent.forUser("user-42").prompt("My name is Alice.");
    const second = await agent.continue(first.conversationId ?? "").prompt("What's my name?");

    expect(second.text).toBe("Your name is Alice.");
    expect(second.conversationId).toBe(first.conversationId);
  });

  it("load and store automatically for an agent that declares a user", async () => {
    setConversationStore(new MemoryConversationStore());
    const currentUserId = "user-42";
    const chat: Agent<Session, string> = {
      name: "ChatAgent",
      instructions: () => "",
      conversational: { user: currentUserId },
    };
    const agent = createAgentClient(chat, { modelProvider: createEcho(), context: {} });

    await agent.prompt("Hi"); // auto-loads thread, runs, auto-saves
    const second = await agent.prompt("Still you?"); // resumes the same thread

    expect(second.text).toBe("Hi | Still you?");
  });

  it("allow an async declaration by the context", async () => {
    setConversationStore(new MemoryConversationStore());
    const loadUserId = async (session: Session) => session.userId;
    const chat: Agent<Session, string> = {
      name: "ChatAgent",
      instructions: () => "",
      conversational: async (session) => ({ user: await loadUserId(session), historyLimit: 50 }),
    };
    const agent = createAgentClient(chat, { modelProvider: createEcho(), context: { userId: "user-42" } });

    await agent.prompt("Hi");
    await agent.prompt("I am another user.", { context: { userId: "user-43" } });
    const again = await agent.prompt("And I am back.");

    expect(again.text).toBe("Hi | And I am back.");
  });

  it("validate a continuation against the stored conversation", async () => {
    setConversationStore(new MemoryConversationStore());
    const assistant: Agent<Session, string> = { name: "AssistantAgent", instructions: () => "" };
    const agent = createAgentClient(assistant, { modelProvider: createEcho(), context: {} });
    const { conversationId = "", finalState } = await agent.forUser("user-42").prompt("Hi");
    const messages = [...finalState.messages, { role: "user", content: "And now?" } as const];

    const { text } = await agent.continue(conversationId).prompt("", {
      messages, // client-supplied continuation
      validate: defaultContinuationValidator(), // throws ContinuationValidationError on forgery
    });

    expect(text).toBe("Hi | And now?");
  });

  it("throw in forUser and continue without a store, and say what to call", async () => {
    const assistant: Agent<Session, string> = { name: "AssistantAgent", instructions: () => "" };
    const agent = createAgentClient(assistant, { modelProvider: createEcho(), context: {} });

    expect(() => agent.forUser("user-42")).toThrow(/setConversationStore/);
    expect(() => agent.continue("some-id")).toThrow(/setConversationStore/);
  });
});
