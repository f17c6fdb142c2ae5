import {
  createChatMemory,
  createInMemoryProvider,
  type Message,
  type VersionedMemoryProvider,
  windowOf,
} from "@jaf/memory";
import {
  type MessageWindowOptions,
  messageWindow,
  planWindow,
  type WindowOptions,
} from "@jaf/memory/history";
import { chatMemoryConfigSchema, parseChatMemoryConfig, windowOptionsOf } from "@jaf/memory/internal";
import { describe, expect, it } from "vitest";
import { calls, result, said, system, user } from "../history/window/window-histories.ts";

describe("parseChatMemoryConfig", () => {
  it("accepts both documented blocks, and defaults to message_window", () => {
    const tokens = { memoryId: "session123", memoryType: "token_window", maxTokens: 1000 };
    expect(parseChatMemoryConfig(tokens)).toEqual({ success: true, data: tokens });
    expect(parseChatMemoryConfig({ memoryId: "session123", maxMessages: 10 })).toEqual({
      success: true,
      data: { memoryId: "session123", memoryType: "message_window", maxMessages: 10 },
    });
  });

  it("accepts its own output, and the limit of the other type", () => {
    const both = chatMemoryConfigSchema.parse({ maxMessages: 10, maxTokens: 5, trimTo: 7 });
    expect(chatMemoryConfigSchema.parse(both)).toEqual(both);
  });

  it.each([
    [{}, /memory\.maxMessages: expected a whole number from 1, since memoryType is "message_window"/],
    [{ maxTokens: 5 }, /memory\.maxMessages/],
    [{ memoryType: "token_window", maxMessages: 5 }, /memory\.maxTokens: expected a whole number from 1/],
    [{ memoryType: "window", maxMessages: 5 }, /memory\.memoryType/],
    [{ maxMessages: 5, maxMesages: 5 }, /memory\.maxMesages: expected no such field/],
    [{ maxMessages: 5, trimTo: 5 }, /memory\.trimTo: expected a number below the limit/],
    [{ maxMessages: "10" }, /memory\.maxMessages: expected number/],
    [{ maxMessages: 0 }, /memory\.maxMessages/],
    [{ maxMessages: 5, memoryId: "" }, /memory\.memoryId: expected a non-empty string/],
    [{ maxMessages: 5, memoryId: 123 }, /memory\.memoryId: expected string/],
    [{ maxMessages: 5, memoryId: "x".repeat(256) }, /memory\.memoryId: expected at most 255 characters/],
    [null, /memory: expected/],
    ["message_window", /memory: expected/],
  ])("refuses %j and names the field", (config, message) => {
    const parsed = parseChatMemoryConfig(config);
    if (parsed.success) expect.fail("it was accepted");
    expect(parsed.error._tag).toBe("MemoryValidationError");
    expect(parsed.error.message).toMatch(message);
  });
});

describe("windowOf", () => {
  const history = [user("a"), said("b"), user("c"), said("d")];

  it("returns the configured window", () => {
    expect(windowOf({ maxMessages: 3 })(history)).toEqual(history.slice(2));
    const options = { tokenizer: () => 6 };
    expect(windowOf({ memoryType: "token_window", maxTokens: 20 }, options)(history)).toEqual(
      history.slice(2),
    );
    expect(planWindow(history, windowOptionsOf({ maxMessages: 3 })).omitted).toHaveLength(1);
  });

  it("treats an undefined option as absent", () => {
    const none = { maxTokens: undefined, trimTo: undefined, tokenizer: undefined, dropped: undefined };
    const byMessages = { ...none, maxMessages: 3 } as WindowOptions;
    const byTokens = { ...none, maxMessages: undefined, maxTokens: 1_000 } as WindowOptions;
    expect(planWindow(history, byMessages).messages).toEqual(history.slice(2));
    expect(planWindow(history, byTokens).messages).toBe(history);
    expect(messageWindow(history, byMessages as MessageWindowOptions)).toEqual(history.slice(2));
    expect(() => planWindow(history, none as unknown as WindowOptions)).toThrow(/maxMessages: expected/);
    expect(() => planWindow(history, { maxMessages: 3, maxTokens: 3 } as WindowOptions)).toThrow(
      /maxMessages: expected no such field/,
    );
  });

  it("throws a TypeError for an invalid configuration", () => {
    expect(() => windowOf({})).toThrow(/^Invalid chat memory configuration: maxMessages: /);
    const options: object = { tokeniser: () => 1 };
    expect(() => windowOf({ maxMessages: 3 }, options)).toThrow(/tokeniser: expected no such field/);
  });
});

/** Records the called methods. */
function watched(provider: VersionedMemoryProvider): { provider: VersionedMemoryProvider; called: string[] } {
  const called: string[] = [];
  const note =
    <A extends unknown[], R>(name: string, method: (...args: A) => R) =>
    (...args: A): R => {
      called.push(name);
      return method(...args);
    };
  return {
    called,
    provider: {
      ...provider,
      getConversation: note("all", provider.getConversation),
      readConversation: note("recent", provider.readConversation),
    },
  };
}

describe("createChatMemory", () => {
  const turns = (count: number): Message[] =>
    Array.from({ length: count }, (_, turn) => [user(`${turn}`), said(`to ${turn}`)]).flat();

  it("adds one or several messages, returns the sanitized window, and clears", async () => {
    const provider = createInMemoryProvider();
    const memory = createChatMemory({ memoryId: "session123", maxMessages: 4 }, provider);
    expect(await memory.messages()).toEqual({ success: true, data: [] });
    await memory.add(user("a"), { userId: "u" });
    await memory.add([said("b"), user("c"), calls("1"), result("1"), calls("2")]);
    expect(await memory.messages()).toEqual({ success: true, data: [user("c"), calls("1"), result("1")] });

    const stored = await provider.getConversation("session123");
    expect(stored.success && stored.data?.messages.length).toBe(6);
    expect(stored.success && stored.data?.userId).toBe("u");
    expect(await memory.clear()).toEqual({ success: true, data: true });
    expect(await memory.messages()).toEqual({ success: true, data: [] });
  });

  it("doesn't mistake fewer messages than requested for all", async () => {
    const store = createInMemoryProvider();
    await store.appendMessages("c", turns(9), {}, { createIfMissing: "unowned" });
    const stingy: VersionedMemoryProvider = {
      ...store,
      readConversation: (id, options) => store.readConversation(id, { ...options, messages: { limit: 2 } }),
    };
    const memory = createChatMemory({ memoryId: "c", maxMessages: 4 }, stingy);
    expect(await memory.messages()).toEqual({ success: true, data: turns(9).slice(-4) });
  });

  it("reads only the end of a long conversation while it slides", async () => {
    const { provider, called } = watched(createInMemoryProvider());
    const byMessages = createChatMemory({ memoryId: "c", maxMessages: 5 }, provider);
    const byTokens = createChatMemory(
      { memoryId: "c", memoryType: "token_window", maxTokens: 60 },
      provider,
      {
        tokenizer: () => 11,
      },
    );
    await byMessages.add(turns(200));
    expect(await byMessages.messages()).toEqual({ success: true, data: turns(200).slice(-4) });
    expect(await byTokens.messages()).toEqual({ success: true, data: turns(200).slice(-4) });
    expect(called).toEqual(["recent", "recent"]);
  });

  it.each([
    [9, ["recent", "recent"]],
    [60, ["recent", "recent", "all"]],
  ])("reads more if the end isn't enough, and finally all: %i calls in a turn", async (count, reads) => {
    const { provider, called } = watched(createInMemoryProvider());
    const memory = createChatMemory({ memoryId: "c", maxMessages: 3 }, provider);
    const groups = Array.from({ length: count }, (_, call) => [calls(`${call}`), result(`${call}`)]).flat();
    await memory.add([...turns(9), user("long"), ...groups]);
    expect(await memory.messages()).toEqual({ success: true, data: [user("long"), ...groups.slice(-2)] });
    expect(called).toEqual(reads);
  });

  it("reads the end for a window with a low mark, too, and starts like a window of all", async () => {
    const history = [said("Hello."), ...turns(100), calls("given up"), ...turns(200)];
    const { provider, called } = watched(createInMemoryProvider());
    const memory = createChatMemory({ memoryId: "c", maxMessages: 8, trimTo: 4 }, provider);
    // Without readConversation, which reads only the end.
    const { readConversation: _, ...tenMethods } = provider;
    const all = createChatMemory({ memoryId: "c", maxMessages: 8, trimTo: 4 }, tenMethods);
    for (const message of history) {
      await memory.add(message);
      called.length = 0;
      expect(await memory.messages()).toEqual(await all.messages());
    }
    expect(called[0]).toBe("recent");
    expect(called.slice(1)).toEqual(["all"]);
  });

  it("keeps system content from before the end", async () => {
    const { provider, called } = watched(createInMemoryProvider());
    const memory = createChatMemory({ memoryId: "c", maxMessages: 3 }, provider);
    await memory.add([user("a"), system("be brief"), ...turns(20)]);
    expect(await memory.messages()).toEqual({
      success: true,
      data: [system("be brief"), ...turns(20).slice(-2)],
    });
    expect(called).toEqual(["recent", "all"]);
  });

  it("keeps its low-mark start even if the store drops the oldest messages", async () => {
    const provider = createInMemoryProvider({ type: "memory", maxMessagesPerConversation: 40 });
    const memory = createChatMemory({ memoryId: "c", maxMessages: 10, trimTo: 5 }, provider);
    const beginnings = new Set<string>();
    for (const message of turns(100)) {
      await memory.add(message);
      const windowed = await memory.messages();
      if (!windowed.success) expect.fail(windowed.error.message);
      expect(windowed.data.length).toBeLessThanOrEqual(10);
      beginnings.add(windowed.data[0]?.content ?? "");
    }
    // A sliding window has about 95 of them.
    expect(beginnings.size).toBeLessThan(45);
  });

  it("returns the provider's errors unchanged", async () => {
    const provider = createInMemoryProvider();
    const memory = createChatMemory({ memoryId: "c", maxMessages: 5 }, provider);
    const refused = await memory.add({ role: "user" } as Message);
    expect(!refused.success && refused.error._tag).toBe("MemoryValidationError");
    await provider.close();
    const closed = await memory.messages();
    expect(!closed.success && closed.error._tag).toBe("MemoryConnectionError");
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no vocabulary");
      },
    ],
    ["returns no number", () => Number.NaN],
  ])("returns a failure if the tokenizer %s", async (_, tokenizer) => {
    for (const count of [2, 200]) {
      const provider = createInMemoryProvider();
      for (const steps of [{}, { trimTo: 50 }]) {
        const config = { memoryId: "c", memoryType: "token_window", maxTokens: 100, ...steps } as const;
        const memory = createChatMemory(config, provider, { tokenizer });
        await memory.add(turns(count));
        const windowed = await memory.messages();
        expect(!windowed.success && windowed.error._tag).toBe("MemoryStorageError");
      }
    }
  });

  it("accepts the largest limits", async () => {
    const { provider, called } = watched(createInMemoryProvider());
    const memory = createChatMemory({ memoryId: "c", maxMessages: Number.MAX_SAFE_INTEGER }, provider);
    await memory.add(turns(200));
    expect(await memory.messages()).toEqual({ success: true, data: turns(200) });
    expect(called).toEqual(["recent"]);
  });

  it("throws a TypeError without a memoryId, and for an invalid configuration", () => {
    const provider = createInMemoryProvider();
    expect(() => createChatMemory({ maxMessages: 5 }, provider)).toThrow(/memoryId: expected/);
    expect(() => createChatMemory({ memoryId: "c" }, provider)).toThrow(/maxMessages: expected/);
  });
});
