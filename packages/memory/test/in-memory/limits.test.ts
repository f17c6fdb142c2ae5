import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createInMemoryProvider, type InMemoryProvider } from "../../src/index.ts";
import { expectOk, ids } from "../../src/testing/fixtures/expectations.ts";
import { answering, calling, users } from "../../src/testing/fixtures/messages.ts";

const UNOWNED = { createIfMissing: "unowned" } as const;

const stored = async (provider: InMemoryProvider) => ids(expectOk(await provider.findConversations({})));

describe("limits of the in-memory provider", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const later = () => vi.setSystemTime(Date.now() + 1);

  it("evicts the least recently active conversations", async () => {
    const provider = createInMemoryProvider({ maxConversations: 3 });
    for (const id of ["a", "b", "c"]) {
      expectOk(await provider.storeMessages(id, users(id)));
      later();
    }
    expectOk(await provider.appendMessages("a", users("again")));
    later();
    expectOk(await provider.storeMessages("d", users("d")));
    later();
    expectOk(await provider.storeMessages("e", users("e")));
    expect(await stored(provider)).toEqual(["e", "d", "a"]);
  });

  it("evicts in the order of writes if the clock stops or goes back", async () => {
    const provider = createInMemoryProvider({ maxConversations: 2 });
    for (const id of ["a", "b", "c", "d"]) {
      expectOk(await provider.storeMessages(id, users(id)));
      vi.setSystemTime(Date.now() - 1_000);
    }
    expect(new Set(await stored(provider))).toEqual(new Set(["c", "d"]));
  });

  it("never evicts the conversation just written", async () => {
    const provider = createInMemoryProvider({ maxConversations: 1 });
    for (const id of ["a", "b", "a"]) {
      expectOk(await provider.appendMessages(id, users(id), {}, UNOWNED));
      expect(await stored(provider)).toEqual([id]);
    }
  });

  it("doesn't count reads as activity", async () => {
    const provider = createInMemoryProvider({ maxConversations: 2 });
    expectOk(await provider.storeMessages("a", users("1")));
    later();
    expectOk(await provider.storeMessages("b", users("1")));
    later();
    expectOk(await provider.getConversation("a"));
    expectOk(await provider.storeMessages("c", users("1")));
    expect(await stored(provider)).toEqual(["c", "b"]);
  });

  it("calls each listener for each eviction, until it unsubscribes", async () => {
    const provider = createInMemoryProvider({ maxConversations: 1 });
    const first = vi.fn();
    const second = vi.fn();
    const unsubscribe = provider.on("conversation_evicted", first);
    provider.on("conversation_evicted", second);
    expectOk(await provider.storeMessages("a", users("1")));
    expectOk(await provider.storeMessages("b", users("1")));
    unsubscribe();
    expectOk(await provider.storeMessages("c", users("1")));
    expect(first.mock.calls).toEqual([["a"]]);
    expect(second.mock.calls).toEqual([["a"], ["b"]]);
  });

  it("calls no listener for a deletion or an expiry", async () => {
    const provider = createInMemoryProvider();
    const listener = vi.fn();
    provider.on("conversation_evicted", listener);
    expectOk(await provider.storeMessages("a", users("1")));
    expectOk(await provider.deleteConversation("a"));
    expectOk(await provider.storeMessages("b", users("1"), {}, { ttlSeconds: 1 }));
    vi.setSystemTime(1_000);
    expect(await stored(provider)).toEqual([]);
    expect(listener).not.toHaveBeenCalled();
  });

  it("forgets the owner of an evicted conversation", async () => {
    const provider = createInMemoryProvider({ maxConversations: 1 });
    expectOk(await provider.storeMessages("a", users("1"), { userId: "alice" }));
    expectOk(await provider.storeMessages("b", users("1"), { userId: "alice" }));
    expectOk(await provider.storeMessages("a", users("2"), { userId: "bob" }));
    expect(expectOk(await provider.clearUserConversations("alice"))).toBe(0);
    expect(await stored(provider)).toEqual(["a"]);
  });

  it("doesn't evict others for expired conversations", async () => {
    const provider = createInMemoryProvider({ maxConversations: 2 });
    const listener = vi.fn();
    provider.on("conversation_evicted", listener);
    expectOk(await provider.storeMessages("kept", users("1")));
    expectOk(await provider.storeMessages("expired", users("1"), {}, { ttlSeconds: 1 }));
    vi.setSystemTime(1_000);
    expectOk(await provider.storeMessages("new", users("1")));
    expect(new Set(await stored(provider))).toEqual(new Set(["kept", "new"]));
    expect(listener).not.toHaveBeenCalled();
    expectOk(await provider.storeMessages("newer", users("1"), {}, { ttlSeconds: 1 }));
    expect(listener.mock.calls).toEqual([["kept"]]);
  });

  it("expires to the millisecond", async () => {
    const provider = createInMemoryProvider();
    expectOk(await provider.storeMessages("a", users("1"), {}, { ttlSeconds: 1 }));
    vi.setSystemTime(999);
    expect(await stored(provider)).toEqual(["a"]);
    vi.setSystemTime(1_000);
    expect(await stored(provider)).toEqual([]);
  });
});

describe("maxMessagesPerConversation", () => {
  const contents = async (provider: InMemoryProvider) =>
    expectOk(await provider.getRecentMessages("c", 100)).map(({ content }) => content);

  it("drops the oldest if an append exceeds it, and no more than needed", async () => {
    const provider = createInMemoryProvider({ maxMessagesPerConversation: 3 });
    expectOk(await provider.appendMessages("c", users("1", "2"), {}, UNOWNED));
    expectOk(await provider.appendMessages("c", users("3", "4")));
    expect(await contents(provider)).toEqual(["2", "3", "4"]);
  });

  it("leaves a stored conversation complete until the next append", async () => {
    const provider = createInMemoryProvider({ maxMessagesPerConversation: 2 });
    expectOk(await provider.storeMessages("c", users("1", "2", "3")));
    expect(await contents(provider)).toEqual(["1", "2", "3"]);
    expectOk(await provider.appendMessages("c", users("4")));
    expect(await contents(provider)).toEqual(["3", "4"]);
  });

  it("yields to a smaller maxMessages, but not to a larger one", async () => {
    const provider = createInMemoryProvider({ maxMessagesPerConversation: 3 });
    expectOk(await provider.appendMessages("c", users("1", "2", "3"), {}, { ...UNOWNED, maxMessages: 2 }));
    expect(await contents(provider)).toEqual(["2", "3"]);
    expectOk(await provider.appendMessages("c", users("4", "5"), {}, { maxMessages: 9 }));
    expect(await contents(provider)).toEqual(["3", "4", "5"]);
  });

  it("keeps a tool call and its results together", async () => {
    const provider = createInMemoryProvider({ maxMessagesPerConversation: 2 });
    const group = [calling("a", "b"), answering("a"), answering("b")];
    expectOk(await provider.appendMessages("c", group, {}, UNOWNED));
    expect(expectOk(await provider.getRecentMessages("c"))).toEqual(group);
    expectOk(await provider.appendMessages("c", users("next")));
    expect(await contents(provider)).toEqual(["next"]);
  });
});

describe("the configuration of the in-memory provider", () => {
  it("defaults to 1,000 conversations of 1,000 messages", async () => {
    const provider = createInMemoryProvider({ type: "memory" });
    const texts = Array.from({ length: 1_001 }, (_, index) => `${index}`);
    expectOk(await provider.appendMessages("first", users(...texts), {}, UNOWNED));
    expect(expectOk(await provider.getStats()).totalMessages).toBe(1_000);
    for (const text of texts) expectOk(await provider.storeMessages(text, []));
    expect(expectOk(await provider.getStats()).totalConversations).toBe(1_000);
  });

  it.each([
    ["maxConversations", 0],
    ["maxConversations", -1],
    ["maxConversations", 1.5],
    ["maxConversations", Number.NaN],
    ["maxMessagesPerConversation", 0],
    ["maxMessagesPerConversation", "100"],
    ["type", "redis"],
    ["maxConversation", 5],
  ])("refuses %s = %s and names the field", (field, value) => {
    expect(() => createInMemoryProvider({ [field]: value } as never)).toThrow(field);
  });

  it("refuses values that aren't a configuration", () => {
    for (const config of [null, "memory", 5, []]) {
      expect(() => createInMemoryProvider(config as never)).toThrow(TypeError);
    }
  });
});
