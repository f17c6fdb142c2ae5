import { createInMemoryProvider } from "@jaf/memory";
import { convertToModelMessages, type ModelMessage, type UIMessage } from "ai";
import { afterAll, describe, expect, it } from "vitest";
import {
  loadModelMessages,
  loadUIMessages,
  storeModelMessages,
  storeUIMessages,
} from "../../src/memory/index.ts";
import { asking, calling, reply, said } from "./support/chats.ts";

const provider = createInMemoryProvider({ type: "memory", maxConversations: 1_000 });
afterAll(() => provider.close());
const freshChat = () => ({ provider, conversationId: crypto.randomUUID() });

describe("calls without a result", () => {
  it.each([
    calling("a1", { state: "input-available" }),
    calling("a1", { state: "input-streaming" }),
    asking("a1"),
    asking("a1", true),
  ])("aren't among the model messages of a conversation that goes on", async (stopped) => {
    const chat = freshChat();
    await storeUIMessages(chat, [said("u1", "1"), stopped, said("u2", "2")]);
    const messages = await loadModelMessages<ModelMessage>(chat);
    expect(messages).toEqual([
      { role: "user", content: "1" },
      { role: "user", content: "2" },
    ]);
  });

  it("are left out alone, beside texts and calls that have results", async () => {
    const chat = freshChat();
    const part = (toolCallId: string) => ({ type: "tool-pay", toolCallId, input: {} }) as const;
    const mixed: UIMessage = {
      id: "a1",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "text", text: "Paying." },
        { ...part("c1"), state: "output-available", output: "paid" },
        { ...part("c2"), state: "input-available" },
      ],
    };
    const sent = [said("u1", "1"), mixed, said("u2", "2")];
    await storeUIMessages(chat, sent);
    const messages = JSON.stringify(await loadModelMessages(chat));
    expect(messages).toContain('"c1"');
    expect(messages).toContain("Paying.");
    expect(messages).not.toContain('"c2"');
  });

  it("come back if they were stored as model messages", async () => {
    const chat = freshChat();
    const messages: ModelMessage[] = [
      { role: "user", content: "1" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} }] },
    ];
    await storeModelMessages(chat, messages);
    expect(await loadModelMessages(chat)).toEqual(messages);
  });

  it("don't reach the model by convertToModelMessages as the route calls it", async () => {
    const chat = freshChat();
    const call = calling("a1", { state: "input-available" });
    const messages = await storeUIMessages<UIMessage>(chat, [said("u1", "1"), call, said("u2", "2")]);
    const prompt = await convertToModelMessages(messages, { ignoreIncompleteToolCalls: true });
    expect(JSON.stringify(prompt)).not.toContain("tool-call");
  });
});

describe("messages that another engine dropped", () => {
  it("aren't replaced by the user's next message in a UI message", async () => {
    const chat = freshChat();
    const answered = calling("a1", { state: "output-available", output: "r" });
    const parts: UIMessage["parts"] = [
      ...answered.parts,
      { type: "step-start" },
      { type: "text", text: "one" },
    ];
    await storeUIMessages(chat, [said("u1", "1"), { ...answered, parts }]);
    await provider.appendMessages(
      chat.conversationId,
      [{ role: "user", content: "My question" }],
      {},
      { dropLast: 1 },
    );
    expect(await loadUIMessages(chat)).toMatchObject([
      said("u1", "1"),
      { id: "a1", role: "assistant" },
      { role: "user", parts: [{ type: "text", text: "My question" }] },
    ]);
  });

  it("aren't replaced by the user's next message in a tool message", async () => {
    const chat = freshChat();
    const result = (toolCallId: string) => ({
      type: "tool-result" as const,
      toolCallId,
      toolName: "x",
      output: { type: "text" as const, value: "r" },
    });
    const call = (toolCallId: string) => ({
      type: "tool-call" as const,
      toolCallId,
      toolName: "x",
      input: {},
    });
    const messages: ModelMessage[] = [
      { role: "assistant", content: [call("c1"), call("c2")] },
      { role: "tool", content: [result("c1"), result("c2")] },
    ];
    await storeModelMessages(chat, messages);
    await provider.appendMessages(
      chat.conversationId,
      [{ role: "user", content: "My question" }],
      {},
      { dropLast: 1 },
    );
    expect((await loadModelMessages(chat)).slice(1)).toEqual([
      { role: "tool", content: [result("c1")] },
      { role: "user", content: "My question" },
    ]);
  });

  it("leave a reply that another engine stores after it as a part of the same UI message", async () => {
    const chat = freshChat();
    await storeUIMessages(chat, [said("u1", "1"), reply("a1", "one")]);
    await provider.appendMessages(chat.conversationId, [{ role: "assistant", content: "two" }]);
    expect(await loadUIMessages(chat)).toHaveLength(2);
  });
});
