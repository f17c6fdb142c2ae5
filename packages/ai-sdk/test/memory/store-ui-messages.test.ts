import { createInMemoryProvider } from "@jaf/memory";
import { convertToModelMessages, simulateReadableStream, streamText, type UIMessage } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { afterAll, describe, expect, it } from "vitest";
import { loadUIMessages, storeUIMessages, takeMessage, threadsOf } from "../../src/memory/index.ts";
import { approvalState, asking, calling, conflictOf, ids, reply, said } from "./support/chats.ts";

const provider = createInMemoryProvider({ type: "memory", maxConversations: 10_000 });
afterAll(() => provider.close());

const freshChat = (userId?: string) => ({
  provider,
  conversationId: crypto.randomUUID(),
  ...(userId === undefined ? {} : { userId }),
});

describe("storeUIMessages", () => {
  it("appends new messages, given alone or with the whole conversation, also beside those of others", async () => {
    const chat = freshChat();
    expect(ids(await storeUIMessages(chat, [said("u1", "1")]))).toBe("u1");
    await storeUIMessages(chat, [said("u2", "of another tab")]);
    expect(ids(await storeUIMessages(chat, [said("u1", "1"), reply("a1", "one")]))).toBe("u1 u2 a1");
    expect(ids(await loadUIMessages<UIMessage>(chat))).toBe("u1 u2 a1");
  });

  it("keeps one reply if a turn is saved several times, and repeats nothing", async () => {
    const chat = freshChat();
    await storeUIMessages(chat, [said("u1", "1")]);
    for (const text of ["", "o", "one", "one"])
      await storeUIMessages(chat, [said("u1", "1"), reply("a1", text)]);
    expect(await loadUIMessages(chat)).toEqual([said("u1", "1"), reply("a1", "one")]);
    const stored = await provider.getConversation(chat.conversationId);
    expect(stored.success && stored.data?.messages.length).toBe(2);
  });

  it("replaces a reply that got the user's answer, also one that isn't the last", async () => {
    const chat = freshChat();
    await storeUIMessages(chat, [said("u1", "pay"), asking("a1"), said("u2", "and?"), reply("a2", "Well.")]);
    const sent = [said("u1", "pay"), asking("a1", true), said("u2", "and?"), reply("a2", "Well.")];
    await storeUIMessages(chat, sent, { trigger: "submit-message", messageId: "a1" });
    expect(await loadUIMessages(chat)).toEqual(sent);
  });

  it("keeps the stored form of earlier messages, of which a client may have less", async () => {
    const chat = freshChat();
    await storeUIMessages(chat, [said("u1", "1"), reply("a1", "one")]);
    await storeUIMessages(chat, [said("u1", "other"), { ...reply("a1", ""), parts: [] }, said("u2", "2")]);
    expect(await loadUIMessages(chat)).toEqual([said("u1", "1"), reply("a1", "one"), said("u2", "2")]);
  });

  it("drops messages only for a regeneration or an edit", async () => {
    const history = [said("u1", "1"), reply("a1", "one"), said("u2", "2"), reply("a2", "two")];
    const start = async () => {
      const chat = freshChat();
      await storeUIMessages(chat, history);
      return chat;
    };
    const one = await start();
    expect(ids(await storeUIMessages(one, history.slice(0, 3)))).toBe("u1 a1 u2 a2");
    expect(ids(await storeUIMessages(one, history.slice(0, 3), { trigger: "regenerate-message" }))).toBe(
      "u1 a1 u2",
    );
    const named = { trigger: "regenerate-message", messageId: "a1" };
    expect(ids(await storeUIMessages(await start(), history.slice(0, 1), named))).toBe("u1");
    const edited = [...history.slice(0, 2), said("u2", "edited")];
    expect(await storeUIMessages(await start(), edited, { messageId: "u2" })).toEqual(edited);
    expect(ids(await storeUIMessages(await start(), [said("u9", "9")], { messageId: "unknown" }))).toBe(
      "u1 a1 u2 a2 u9",
    );
  });

  it("refuses what contradicts the stored messages, and stores nothing", async () => {
    const chat = freshChat();
    const history = [said("u1", "1"), reply("a1", "one"), said("u2", "2")];
    await storeUIMessages(chat, history);
    expect(await conflictOf(storeUIMessages(chat, [said("u0", "0"), reply("a1", "one")]))).toBe("message-id");
    expect(await conflictOf(storeUIMessages(chat, [said("u1", "other")]))).toBe("message-id");
    expect(await conflictOf(storeUIMessages(chat, [said("", "x")]))).toBe("MemoryValidationError");
    expect(await conflictOf(storeUIMessages(chat, [said("x", "x"), said("x", "x")]))).toBe(
      "MemoryValidationError",
    );
    const odd = { ...said("x", "x"), metadata: { count: Number.NaN } };
    expect(await conflictOf(storeUIMessages(chat, [odd]))).toBe("MemoryValidationError");
    expect(await loadUIMessages(chat)).toEqual(history);
  });

  it("refuses an older version of a reply, and another role", async () => {
    const chat = freshChat();
    const paid = calling("a1", { state: "output-available", output: "paid" });
    await storeUIMessages(chat, [said("u1", "pay"), paid]);
    expect(await conflictOf(storeUIMessages(chat, [asking("a1", true)]))).toBe("message-id");
    expect(await conflictOf(storeUIMessages(chat, [reply("a1", "no call")]))).toBe("message-id");
    expect(await conflictOf(storeUIMessages(chat, [said("a1", "I paid")]))).toBe("message-id");

    const two = freshChat();
    const [open, yes, other] = [approvalState("p1"), approvalState("p1", true), approvalState("p2")];
    await storeUIMessages(two, [said("u1", "pay"), calling("a1", open, other)]);
    await storeUIMessages(two, [calling("a1", yes, other)]);
    const late = calling("a1", open, approvalState("p2", true));
    expect(await conflictOf(storeUIMessages(two, [late]))).toBe("message-id");

    const continued = freshChat();
    await storeUIMessages(continued, [said("u1", "1"), reply("a1", "one")]);
    await provider.appendMessages(continued.conversationId, [{ role: "assistant", content: "two" }]);
    expect(await conflictOf(storeUIMessages(continued, [reply("a1", "one!")]))).toBe("message-id");
    expect(JSON.stringify(await loadUIMessages(continued))).toContain("two");
  });

  it("keeps the ids of messages of other engines when an earlier reply becomes longer", async () => {
    const chat = freshChat();
    await storeUIMessages(chat, [said("jaf-2", "an id like ours"), asking("a1")]);
    const others = [
      { role: "user", content: "from JAF" },
      { role: "assistant", content: "ok" },
    ] as const;
    await provider.appendMessages(chat.conversationId, others);
    const before = await loadUIMessages<UIMessage>(chat);
    expect(new Set(before.map(({ id }) => id)).size).toBe(4);
    const paid = calling("a1", { state: "output-available", output: "paid" });
    await storeUIMessages(chat, [paid]);
    const after = await loadUIMessages<UIMessage>(chat);
    expect(ids(after)).toBe(ids(before));
    expect(ids(await storeUIMessages(chat, [...before, said("u2", "2")]))).toBe(`${ids(before)} u2`);
  });

  it("regenerates whatever the client has of the user's message", async () => {
    const chat = freshChat();
    const sent = { ...said("u1", "1"), metadata: { at: 1 } };
    await storeUIMessages(chat, [sent, reply("a1", "one")]);
    expect(await storeUIMessages(chat, [said("u1", "1")], { trigger: "regenerate-message" })).toEqual([sent]);
  });

  it("neither shows nor changes a conversation of another user", async () => {
    const chat = freshChat("ann");
    await storeUIMessages(chat, [said("u1", "secret")]);
    const other = { ...chat, userId: "bob" };
    expect(await loadUIMessages(other)).toEqual([]);
    expect(await conflictOf(storeUIMessages(other, [said("u2", "hi")]))).toBe("owner");
    expect(ids(await loadUIMessages<UIMessage>(chat))).toBe("u1");
    const unowned = freshChat();
    await storeUIMessages(unowned, [said("u1", "free")]);
    expect(
      await conflictOf(storeUIMessages({ ...unowned, userId: "bob" }, [said("u2", "mine")])),
    ).toBeDefined();
    expect(ids(await loadUIMessages<UIMessage>(unowned))).toBe("u1");
  });

  it("doesn't bring an erased conversation back by a late save", async () => {
    const chat = freshChat("ann");
    const messages = await storeUIMessages(chat, [said("u1", "forget me")]);
    await provider.clearUserConversations("ann");
    expect(await conflictOf(storeUIMessages(chat, [...messages, reply("a1", "late")]))).toBe("incarnation");
    expect(await loadUIMessages({ ...chat })).toEqual([]);
  });

  it("shows the answer of another engine to a call of a stored message", async () => {
    const chat = freshChat();
    await storeUIMessages(chat, [said("u1", "pay"), { ...asking("a1", true), metadata: { model: "m" } }]);
    await provider.appendMessages(chat.conversationId, [
      { role: "tool", tool_call_id: "c1", content: "paid" },
      { role: "assistant", content: "Done." },
    ]);
    expect(await loadUIMessages(chat)).toMatchObject([
      { id: "u1" },
      {
        id: "a1",
        metadata: { model: "m" },
        parts: [
          { type: "step-start" },
          { type: "tool-pay", state: "output-available", output: "paid" },
          { type: "step-start" },
          { type: "text", text: "Done." },
        ],
      },
    ]);
  });
});

describe("a route of an application", () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const model = new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "An apple.", providerMetadata: { mock: { sig: "c2ln" } } },
          { type: "text-end", id: "t" },
          { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: usage as never },
        ],
      }),
    }),
  });

  it("stores the user's message and the reply of the real AI SDK", async () => {
    const request = { id: crypto.randomUUID(), message: said("u1", "What is red?") };
    const userId = "ann";
    async function post({ id, message }: { id: string; message: UIMessage }): Promise<Response> {
      const chat = { provider, conversationId: id, userId };
      const messages = await takeMessage(chat, message);
      const result = streamText({ model, messages: await convertToModelMessages(messages) });
      return result.toUIMessageStreamResponse({
        originalMessages: messages,
        generateMessageId: () => crypto.randomUUID(),
        onFinish: async (end) => void (await storeUIMessages(chat, end.messages)),
      });
    }
    const response = await post(request);
    expect(await response.text()).toContain("An apple.");
    await post({ ...request, message: said("u2", "And green?") }).then((second) => second.text());
    const chat = { provider, conversationId: request.id, userId };
    const stored = await loadUIMessages<UIMessage>(chat);
    expect(stored.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(model.doStreamCalls[1]?.prompt).toHaveLength(3);
  });
});

it("refuses settings that can only be an error of the program", async () => {
  const { readConversation: _, ...plain } = provider;
  await expect(loadUIMessages({ ...freshChat(), provider: plain })).rejects.toThrow(
    /loadUIMessages: provider/,
  );
  await expect(storeUIMessages({ ...freshChat(), userId: "" }, [])).rejects.toThrow(
    /storeUIMessages: userId/,
  );
  // A user who isn't signed in would otherwise get each user's conversation.
  await expect(loadUIMessages({ ...freshChat(), userId: undefined as never })).rejects.toThrow(/userId/);
  // Without a user, the list would be that of all users.
  await expect(threadsOf({ provider, userId: undefined as never })).rejects.toThrow(/threadsOf: userId/);
});

describe("threadsOf", () => {
  it("lists a user's conversations in pages, the newest first, without messages", async () => {
    const userId = crypto.randomUUID();
    for (let index = 0; index < 5; index++) {
      const conversationId = `${userId}-${index}`;
      await provider.appendMessages(
        conversationId,
        [{ role: "user", content: "hi" }],
        { userId, ...(index === 4 ? { title: "Apples" } : {}) },
        { createIfMissing: true },
      );
    }
    const first = await threadsOf({ provider, userId, limit: 3 });
    const cursor = first.nextCursor;
    const second = await threadsOf({ provider, userId, limit: 3, cursor });
    expect(first.threads).toHaveLength(3);
    expect(second).toEqual({ threads: expect.any(Array) });
    const all = [...first.threads, ...second.threads];
    expect(new Set(all.map(({ conversationId }) => conversationId)).size).toBe(5);
    expect(all.filter(({ title }) => title === "Apples")).toMatchObject([{ messages: 1 }]);
    expect(await conflictOf(threadsOf({ provider, userId, cursor: "x" }))).toBe("MemoryValidationError");
  });

  it("leaves out what LangGraph stores as conversations, and fills the page", async () => {
    const userId = crypto.randomUUID();
    const places = ["langgraph:t", "langgraph-namespace:0a", "langgraph-documents:1b", "langgraphs"];
    for (const place of ["chat", ...places, ...places.map((id) => `${id}/2`)]) {
      const metadata = { userId };
      const message = { role: "user", content: "hi" } as const;
      await provider.appendMessages(`${place}-${userId}`, [message], metadata, { createIfMissing: true });
    }
    const first = await threadsOf({ provider, userId, limit: 2 });
    const second = await threadsOf({ provider, userId, limit: 2, cursor: first.nextCursor });
    expect(first.threads).toHaveLength(2);
    const all = [...first.threads, ...second.threads].map(({ conversationId }) => conversationId);
    expect(all.toSorted()).toEqual(
      ["chat", "langgraphs", "langgraphs/2"].map((id) => `${id}-${userId}`).toSorted(),
    );
    expect(second.nextCursor).toBeUndefined();
  });
});
