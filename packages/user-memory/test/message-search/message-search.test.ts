import {
  type ConversationMemory,
  createInMemoryProvider,
  createSuccess,
  isSuccess,
  type MemoryProvider,
  type Message,
} from "@jaf/memory";
import { describe, expect, test, vi } from "vitest";
import type { MessageIndex } from "../../src/message-search/message-index.ts";
import {
  createMessageSearch,
  dropMessageIndex,
  searchMessages,
} from "../../src/message-search/message-search.ts";

const say = (content: string, role: Message["role"] = "user"): Message => ({ role, content });

const make = { createIfMissing: true } as const;

async function find(provider: MemoryProvider, userId: string, query: string, options = {}) {
  const found = await searchMessages(provider, userId, query, options);
  if (!isSuccess(found)) throw new Error(found.error.message);
  return found.data.map(({ conversationId, position, message }) => [
    conversationId,
    position,
    message.content,
  ]);
}

describe("searchMessages", () => {
  test("finds messages in any conversation, with their positions", async () => {
    const provider = createInMemoryProvider();
    const messages = [say("My dog is called Bruno"), say("Lovely!", "assistant")];
    await provider.appendMessages("c1", messages, { userId: "ada" }, make);
    await provider.appendMessages("c2", [say("I deploy to Frankfurt")], { userId: "ada" }, make);
    expect(await find(provider, "ada", "What is the name of my dogs?")).toEqual([
      ["c1", 0, "My dog is called Bruno"],
      ["c1", 1, "Lovely!"],
    ]);
    expect(await find(provider, "ada", "deploying", { conversationId: "c1" })).toEqual([]);
  });

  test("doesn't find messages of another user", async () => {
    const provider = createInMemoryProvider();
    await provider.appendMessages("c1", [say("My dog is called Bruno")], { userId: "ada" }, make);
    await provider.appendMessages("c2", [say("My cat is called Tom")], { userId: "bo" }, make);
    expect(await find(provider, "bo", "dog cat called")).toEqual([["c2", 0, "My cat is called Tom"]]);
    expect(await find(provider, "eve", "dog cat called")).toEqual([]);
  });

  test("notices appended, replaced, trimmed and deleted messages", async () => {
    const provider = createInMemoryProvider();
    const ada = { userId: "ada" };
    await provider.appendMessages("c1", [say("apples"), say("pears")], ada, make);
    expect(await find(provider, "ada", "apples")).toHaveLength(2);
    await provider.appendMessages("c1", [say("more apples")], ada);
    expect((await find(provider, "ada", "apples")).map(([, position]) => position)).toContain(2);
    await provider.appendMessages("c1", [say("plums")], ada, { maxMessages: 2 });
    expect((await find(provider, "ada", "plums")).map(([, , text]) => text)).toEqual([
      "plums",
      "more apples",
    ]);
    expect((await find(provider, "ada", "plums"))[0]).toEqual(["c1", 3, "plums"]);
    await provider.storeMessages("c1", [say("quinces")], ada);
    expect(await find(provider, "ada", "apples plums")).toEqual([]);
    expect(await find(provider, "ada", "quince")).toHaveLength(1);
    await provider.deleteConversation("c1");
    expect(await find(provider, "ada", "quince")).toEqual([]);
  });

  test("returns nothing of a conversation if its id belongs to another user now", async () => {
    const provider = createInMemoryProvider();
    await provider.appendMessages("c1", [say("secret apples")], { userId: "ada" }, make);
    expect(await find(provider, "ada", "apples")).toHaveLength(1);
    await provider.deleteConversation("c1");
    await provider.appendMessages("c1", [say("other apples")], { userId: "bo" }, make);
    expect(await find(provider, "ada", "apples")).toEqual([]);
  });

  test("notices a replaced tail, even if all counts look like an append", async () => {
    const provider = createInMemoryProvider();
    const ada = { userId: "ada" };
    const replaced = [say("quinces"), say("and so on")];
    await provider.appendMessages("c1", [say("plums"), say("apples"), say("and so on")], ada, make);
    expect(await find(provider, "ada", "apples")).toHaveLength(3);
    await provider.appendMessages("c1", [...replaced, say("pears")], ada, { dropLast: 2 });
    expect(await find(provider, "ada", "apples")).toEqual([]);
    expect(await find(provider, "ada", "quinces", { limit: 1 })).toEqual([["c1", 1, "quinces"]]);
    expect(await find(provider, "ada", "pears", { limit: 1 })).toEqual([["c1", 3, "pears"]]);
  });

  test("notices a conversation that was deleted and created again with the same number of messages", async () => {
    const provider = createInMemoryProvider();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      await provider.appendMessages("c1", [say("apples")], { userId: "ada" }, make);
      expect(await find(provider, "ada", "apples")).toHaveLength(1);
      await provider.deleteConversation("c1");
      await provider.appendMessages("c1", [say("pears")], { userId: "ada" }, make);
      expect(await find(provider, "ada", "apples")).toEqual([]);
      expect(await find(provider, "ada", "pears")).toEqual([["c1", 0, "pears"]]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("reads only conversations whose messages have changed", async () => {
    const inner = createInMemoryProvider();
    const readConversation = vi.fn(inner.readConversation);
    const provider: MemoryProvider = { ...inner, ...{ readConversation } };
    const search = createMessageSearch(provider);
    for (let at = 0; at < 5; at++) {
      await provider.appendMessages(`c${at}`, [say(`apples ${at}`)], { userId: "ada" }, make);
    }
    const readBy = async (query: string) => {
      readConversation.mockClear();
      await search.search("ada", query);
      return readConversation.mock.calls.map(([id]) => id);
    };
    expect(await readBy("nothing of this")).toEqual(["c4", "c3", "c2", "c1", "c0"]);
    expect(await readBy("nothing of this")).toEqual([]);
    await provider.appendMessages("c2", [], { userId: "ada", title: "Fruit" });
    expect(await readBy("nothing of this")).toEqual([]);
    await provider.appendMessages("c3", [say("pears"), say("plums")], { userId: "ada" });
    expect(await readBy("nothing of this")).toEqual(["c3"]);
  });

  test("notices changes of a provider without versions", async () => {
    const { readConversation: _, ...inner } = createInMemoryProvider();
    const uncounted = <T extends ConversationMemory | null>(found: T): T => {
      if (found?.metadata === undefined) return found;
      const {
        version: _v,
        metadataVersion: _m,
        nextPosition: _n,
        incarnation: _i,
        ...metadata
      } = found.metadata;
      return { ...found, metadata };
    };
    const provider: MemoryProvider = {
      ...inner,
      getConversation: async (id) => {
        const found = await inner.getConversation(id);
        return isSuccess(found) ? createSuccess(uncounted(found.data)) : found;
      },
      findConversations: async (query) => {
        const found = await inner.findConversations(query);
        return isSuccess(found) ? createSuccess(found.data.map(uncounted)) : found;
      },
    };
    await provider.appendMessages("c1", [say("apples"), say("plums")], { userId: "ada" }, make);
    expect(await find(provider, "ada", "apples", { limit: 1 })).toEqual([["c1", 0, "apples"]]);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await provider.storeMessages("c1", [say("pears"), say("plums")], { userId: "ada" });
    expect(await find(provider, "ada", "apples")).toEqual([]);
    expect(await find(provider, "ada", "pears", { limit: 1 })).toEqual([["c1", 0, "pears"]]);
  });

  test("leaves out tool results and messages without text", async () => {
    const provider = createInMemoryProvider();
    const call = { id: "1", type: "function", function: { name: "f", arguments: "{}" } } as const;
    await provider.appendMessages(
      "c",
      [
        say("apples?"),
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", content: "apples apples", tool_call_id: "1" },
      ],
      { userId: "ada" },
      make,
    );
    expect(await find(provider, "ada", "apples")).toEqual([["c", 0, "apples?"]]);
  });

  test("keeps the newest conversations of a user beyond the limit, and the last users", async () => {
    const provider = createInMemoryProvider();
    const search = createMessageSearch(provider, { maxMessagesPerUser: 3, maxUsers: 1 });
    for (let at = 0; at < 5; at++) {
      await provider.appendMessages(`c${at}`, [say(`apples ${at}`)], { userId: "ada" }, make);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const found = await search.search("ada", "apples");
    expect(isSuccess(found) && found.data.map(({ conversationId }) => conversationId).sort()).toEqual([
      "c2",
      "c3",
      "c4",
    ]);
  });

  test("finds a long message by its best passage", async () => {
    const provider = createInMemoryProvider();
    const filler = Array.from({ length: 400 }, (_, at) => `Sentence ${at} is about garden${at}.`).join(" ");
    const long = say(`${filler} The password of the wifi is under the lamp. ${filler}`);
    const short = Array.from({ length: 20 }, (_, at) => say(`My lamp ${at} is green`));
    await provider.appendMessages("c1", [long, ...short], { userId: "ada" }, make);
    expect((await find(provider, "ada", "wifi lamp", { limit: 1 }))[0]?.[1]).toBe(0);
  });

  test("prefers a message of the user to the same text of the assistant", async () => {
    const provider = createInMemoryProvider();
    const same = "The violin is in the attic";
    await provider.appendMessages("c1", [say(same, "assistant")], { userId: "ada" }, make);
    await provider.appendMessages("c2", [say(same)], { userId: "ada" }, make);
    await provider.appendMessages("c3", [say(same, "assistant")], { userId: "ada" }, make);
    expect((await find(provider, "ada", "violin", { limit: 1 }))[0]?.[0]).toBe("c2");
  });

  test("finds the best of thousands of matching messages", async () => {
    const provider = createInMemoryProvider();
    for (let at = 0; at < 4; at++) {
      const messages = Array.from({ length: 500 }, (_, index) => say(`tea at ${500 * at + index}`));
      const zoe = at === 1 ? [say("tea for Zoe")] : [];
      await provider.appendMessages(`m${at}`, [...messages, ...zoe], { userId: "ada" }, make);
    }
    await provider.appendMessages("c2", [say("tea with Ida")], { userId: "ada" }, make);
    expect(await find(provider, "ada", "tea Zoe", { limit: 1 })).toEqual([["m1", 500, "tea for Zoe"]]);
    expect(await find(provider, "ada", "tea", { conversationId: "c2" })).toEqual([["c2", 0, "tea with Ida"]]);
  });

  test("yields to the event loop while it indexes a long message", async () => {
    const provider = createInMemoryProvider();
    const long = Array.from({ length: 150_000 }, (_, at) => `w${at % 5_000}`).join(" ");
    await provider.appendMessages("c1", [say(long)], { userId: "ada" }, make);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await find(provider, "ada", "w17");
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  test("keeps the newest messages within the byte limit of a user", async () => {
    const provider = createInMemoryProvider();
    const search = createMessageSearch(provider, { maxBytesPerUser: 20_000 });
    const messages = Array.from({ length: 2_000 }, (_, at) => say(`apples and pear${at} in the garden`));
    await provider.appendMessages("c1", messages, { userId: "ada" }, make);
    const last = await search.search("ada", "pear1999", { limit: 1 });
    expect(isSuccess(last) && last.data.map(({ position }) => position)).toEqual([1_999]);
    const first = await search.search("ada", "pear0");
    expect(isSuccess(first) && first.data).toEqual([]);
  });

  test("builds an index again after its eviction", async () => {
    const inner = createInMemoryProvider();
    const readConversation = vi.fn(inner.readConversation);
    const search = createMessageSearch({ ...inner, readConversation } as MemoryProvider, { maxBytes: 1_000 });
    for (const userId of ["ada", "bo"]) {
      await inner.appendMessages(`of ${userId}`, [say("apples and pears")], { userId }, make);
      await search.search(userId, "plums");
    }
    readConversation.mockClear();
    await search.search("bo", "plums");
    expect(readConversation).not.toHaveBeenCalled();
    await search.search("ada", "plums");
    expect(readConversation.mock.calls.map(([id]) => id)).toEqual(["of ada"]);
  });

  test("drops a user's index, also during a search, and keeps others", async () => {
    const inner = createInMemoryProvider();
    const readConversation = vi.fn(inner.readConversation);
    const provider = { ...inner, readConversation } as MemoryProvider;
    for (const userId of ["ada", "bo"])
      await inner.appendMessages(`of ${userId}`, [say("apples and pears")], { userId }, make);
    const readBy = async (userId: string) => {
      readConversation.mockClear();
      await searchMessages(provider, userId, "plums");
      return readConversation.mock.calls.length;
    };
    dropMessageIndex(provider, "ada");
    const searched = [await readBy("ada"), await readBy("ada"), await readBy("bo")];
    dropMessageIndex(provider, "ada");
    const dropped = [await readBy("ada"), await readBy("bo")];
    dropMessageIndex(provider, "ada");
    const underWay = searchMessages(provider, "ada", "plums");
    dropMessageIndex(provider, "ada");
    await underWay;
    expect([searched, dropped, await readBy("ada")]).toEqual([[1, 0, 1], [1, 0], 1]);
  });

  test("concurrent searches find the messages from before their calls", async () => {
    const provider = createInMemoryProvider();
    const search = createMessageSearch(provider);
    const rounds = Array.from({ length: 20 }, async (_, at) => {
      await provider.appendMessages(`c${at % 3}`, [say(`word${at}x`)], { userId: "ada" }, make);
      const found = await search.search("ada", `word${at}x`);
      return isSuccess(found) && found.data.length > 0;
    });
    expect(await Promise.all(rounds)).toEqual(Array(20).fill(true));
  });

  test("invalid ids and failures of the store are returned as errors", async () => {
    const provider = createInMemoryProvider();
    expect(await searchMessages(provider, "", "apples")).toMatchObject({
      success: false,
      error: { _tag: "MemoryValidationError", operation: "searchMessages" },
    });
    await provider.close();
    expect(await searchMessages(provider, "ada", "apples")).toMatchObject({
      success: false,
      error: { _tag: "MemoryConnectionError" },
    });
  });
});

test("a stored index needs a provider with versions", () => {
  const { readConversation: _, ...provider } = createInMemoryProvider();
  const index = {} as MessageIndex;
  expect(() => createMessageSearch(provider, { index })).toThrow(/versions/);
});

test("`refresh` makes the index before the first search", async () => {
  const provider = createInMemoryProvider();
  await provider.appendMessages("c1", [say("apples")], { userId: "ada" }, make);
  const search = createMessageSearch(provider);
  expect(await search.refresh("ada")).toEqual(createSuccess({ read: 0, isComplete: true }));
  const list = vi.spyOn(provider, "readConversation");
  expect(await search.search("ada", "pears")).toEqual(createSuccess([]));
  expect(list).not.toHaveBeenCalled();
  expect(await search.refresh("")).toMatchObject({ success: false });
});
