import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { asUserMemory, MemoryUserMemory } from "@jaf/user-memory";
import { describe, expect, it } from "vitest";
import type { AssistantContext, Notes } from "../../src/assistant/agent.ts";
import { extractionOptions } from "../../src/assistant/extraction.ts";
import { createOfflineModel } from "../../src/assistant/offline-model.ts";
import { createPrivateSession, createSession, isUnanswered } from "../../src/chat/conversations.ts";

const notes: Notes = { add: async () => {}, list: async () => [], remove: async () => undefined };

function open(provider: MemoryProvider, signal = new AbortController().signal, kept = notes) {
  const context: AssistantContext = { userId: "ada", notes: kept, now: () => new Date(0) };
  const modelProvider = createOfflineModel<AssistantContext>({ wordDelayMs: 1 });
  const userMemory = asUserMemory(new MemoryUserMemory(), { extract: extractionOptions });
  return createSession({ provider, userMemory, modelProvider, context, signal }, "chat-1");
}

describe("an interrupted reply", () => {
  it("is finished by resuming, without a second user message", async () => {
    const provider = createInMemoryProvider();
    const controller = new AbortController();
    const cut = await open(provider, controller.signal).send("Who are you?", {
      onEvent: (event) => event.type === "llm_delta" && controller.abort(),
    });
    expect(cut.outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted" } });
    const stored = await open(provider).load();
    expect(stored?.messages).toEqual([{ role: "user", content: "Who are you?" }]);
    expect(isUnanswered(stored?.messages ?? [])).toBe(true);

    const resumed = await open(provider).resume({ onEvent: () => {} });
    expect(resumed.outcome.status).toBe("completed");
    const messages = (await open(provider).load())?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(isUnanswered(messages)).toBe(false);
  });

  it("runs only the unfinished tool, and then answers", async () => {
    const provider = createInMemoryProvider();
    const controller = new AbortController();
    const cutOff = async () => {
      controller.abort();
      throw new Error("The process ends here.");
    };
    const hear = { onEvent: () => {} };
    await open(provider, controller.signal, { ...notes, add: cutOff }).send("Take a note: buy milk", hear);
    expect((await open(provider).load())?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);

    const added: string[] = [];
    const add = async (_userId: string, text: string) => void added.push(text);
    await open(provider, undefined, { ...notes, add }).resume(hear);
    expect(added).toEqual(["buy milk"]);
    const messages = (await open(provider).load())?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(messages.at(-1)?.content).toBe("Noted: buy milk");
  });
});

describe("a private session", () => {
  it("is in the process only, and regenerates an interrupted reply with its history", async () => {
    const context: AssistantContext = { userId: "ada", notes, now: () => new Date(0) };
    const offline = createOfflineModel<AssistantContext>({ wordDelayMs: 0 });
    let isDown = false;
    const session = createPrivateSession({
      userMemory: asUserMemory(new MemoryUserMemory()),
      modelProvider: {
        getCompletion: (...asked) =>
          isDown ? Promise.reject(new Error("The model is down.")) : offline.getCompletion(...asked),
      },
      context,
      signal: new AbortController().signal,
    });
    const hear = { onEvent: () => {} };
    expect(session.conversationId).toBeUndefined();
    expect(await session.load()).toBeNull();
    await session.send("my cat is Tom", hear);
    isDown = true;
    expect((await session.send("What is my cat?", hear)).outcome.status).toBe("error");
    expect(isUnanswered((await session.load())?.messages ?? [])).toBe(true);

    isDown = false;
    expect((await session.resume(hear)).outcome).toMatchObject({ output: "Your cat is Tom." });
    const messages = (await session.load())?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(await session.forget()).toBe(true);
    expect(await session.load()).toBeNull();
    expect(await session.forget()).toBe(false);
  });
});
