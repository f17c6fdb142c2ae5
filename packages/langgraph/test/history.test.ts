import { createInMemoryProvider } from "@jaf/memory";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { createChatHistory, createCheckpointSaver, createStore } from "../src/index.ts";

const open = (provider = createInMemoryProvider(), userId = "ada") =>
  createChatHistory({ provider, conversationId: "conv-1", userId });

it("goes on with a conversation that another engine began, and back", async () => {
  const provider = createInMemoryProvider();
  await provider.storeMessages("conv-1", [{ role: "user", content: "Hi" }], {
    userId: "ada",
    title: "Greeting",
  });
  const history = open(provider);
  expect(await history.getMessages()).toEqual([new HumanMessage("Hi")]);
  await history.addAIMessage("Hello");
  const found = await provider.getConversation("conv-1");
  expect(found.success && found.data?.messages).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
  ]);
  expect(found.success && found.data?.metadata?.["title"]).toBe("Greeting");
  await history.clear();
  expect(await history.getMessages()).toEqual([]);
});

it("loses no message of concurrent writers, also while the conversation is created", async () => {
  const provider = createInMemoryProvider();
  const writers = Array.from({ length: 20 }, () => open(provider));
  await Promise.all(writers.map((history) => history.getMessages()));
  await Promise.all(
    writers.map((history, n) => history.addMessages([new HumanMessage(`q${n}`), new AIMessage(`a${n}`)])),
  );
  const messages = await open(provider).getMessages();
  expect(messages).toHaveLength(40);
  for (let at = 0; at < 40; at += 2) {
    expect(messages[at + 1]?.content).toBe(String(messages[at]?.content).replace("q", "a"));
  }
});

it("adds nothing to what was erased after it was read, nor to another user's conversation", async () => {
  const provider = createInMemoryProvider();
  const conflict = (reason: string) => ({ memoryError: { _tag: "MemoryConflictError", reason } });
  for (const existed of [true, false]) {
    const history = open(provider);
    if (existed) await history.addUserMessage("Hi");
    await history.getMessages();
    await provider.clearUserConversations("ada");
    await expect(history.addAIMessage("late")).rejects.toMatchObject(conflict("incarnation"));
    await expect(history.addAIMessage("later")).rejects.toMatchObject(conflict("incarnation"));
    expect(await history.getMessages()).toEqual([]);
  }
  await open(provider).addUserMessage("Hi");
  const bobs = open(provider, "bob");
  expect(await bobs.getMessages()).toEqual([]);
  await expect(bobs.addUserMessage("mine")).rejects.toMatchObject(conflict("owner"));
  await bobs.clear();
  expect(await open(provider).getMessages()).toHaveLength(1);
});

it("adds nothing from before an erasure to a conversation that was begun after it", async () => {
  const provider = createInMemoryProvider();
  const early = open(provider);
  expect(await early.getMessages()).toEqual([]);
  await provider.clearUserConversations("ada");
  await open(provider).addUserMessage("Hi");
  await expect(early.addAIMessage("late")).rejects.toMatchObject({
    memoryError: { _tag: "MemoryConflictError", reason: "incarnation" },
  });
  expect(await open(provider).getMessages()).toHaveLength(1);
});

it("adds nothing to what was erased after its own writes, without a read between", async () => {
  const provider = createInMemoryProvider();
  for (const userId of ["ada", undefined]) {
    const history = createChatHistory({ provider, conversationId: "conv-1", ...(userId && { userId }) });
    await history.addUserMessage("one");
    await history.addAIMessage("two");
    await provider.deleteConversation("conv-1");
    for (const text of ["three", "four"]) {
      await expect(history.addAIMessage(text)).rejects.toMatchObject({
        memoryError: { _tag: "MemoryConflictError", reason: "incarnation" },
      });
    }
    expect(await history.getMessages()).toEqual([]);
  }
});

it("doesn't take over a conversation without an owner", async () => {
  const provider = createInMemoryProvider();
  const free = createChatHistory({ provider, conversationId: "conv-1" });
  await free.addUserMessage("Nobody's");
  const bobs = open(provider, "bob");
  await expect(bobs.addUserMessage("mine")).rejects.toMatchObject({
    memoryError: { _tag: "MemoryConflictError" },
  });
  expect(await bobs.getMessages()).toEqual([]);
  expect(await free.getMessages()).toEqual([new HumanMessage("Nobody's")]);
});

it("refuses invalid settings", () => {
  const provider = createInMemoryProvider();
  expect(() => createChatHistory({ provider, conversationId: "" })).toThrow(
    /^Invalid settings of createChatHistory: conversationId/,
  );
  // A user who isn't signed in: without an owner, all conversations would be open.
  const signedOut = { provider, conversationId: "conv-1", userId: undefined as never };
  for (const create of [createChatHistory, createCheckpointSaver, createStore]) {
    expect(() => create(signedOut)).toThrow(`Invalid settings of ${create.name}: userId`);
  }
});
