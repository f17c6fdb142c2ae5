import { describe, expect, it, vi } from "vitest";
import { createMemoryValidationError } from "../../src/adapter.ts";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  createMemoryStorageError,
  withFallback,
} from "../../src/index.ts";
import { contents, expectError, expectOk, readContents } from "../../src/testing/fixtures/expectations.ts";
import { hostile, users } from "../../src/testing/fixtures/messages.ts";
import { setUp } from "./outage.ts";

const UNOWNED = { createIfMissing: "unowned" } as const;

describe("withFallback", () => {
  it("reads from the primary while it answers, and otherwise from the fallback", async () => {
    const { provider, primary, fallback, outage, events, down } = setUp();
    expectOk(await primary.storeMessages("c", users("new"), { userId: "u" }));
    expectOk(await fallback.storeMessages("c", users("old"), { userId: "u" }));
    expect(await readContents(provider, "c")).toEqual(["new"]);
    outage.error = down;
    expect(await readContents(provider, "c")).toEqual(["old"]);
    expect(contents(expectOk(await provider.getRecentMessages("c")))).toEqual(["old"]);
    expect(expectOk(await provider.findConversations({ userId: "u" }))).toHaveLength(1);
    expect(expectOk(await provider.getStats()).totalConversations).toBe(1);
    expect(events.map(({ operation, conversationId }) => [operation, conversationId])).toEqual([
      ["getConversation", "c"],
      ["getRecentMessages", "c"],
      ["findConversations", undefined],
      ["getStats", undefined],
    ]);
    expect(events[0]?.error).toBe(down);
    outage.error = undefined;
    expect(await readContents(provider, "c")).toEqual(["new"]);
  });

  it.each([
    ["a failure of the store", createMemoryStorageError("getConversation", "broken", { retryable: true })],
    ["a closed provider", createMemoryConnectionError("memory", "closed", { retryable: false })],
  ])("doesn't count %s as an outage", async (_, error) => {
    const { provider, outage, events } = setUp();
    outage.error = error;
    expect(await provider.getConversation("c")).toEqual(createFailure(error));
    expect(await provider.appendMessages("c", users("1"), {}, UNOWNED)).toEqual(createFailure(error));
    expect(events).toEqual([]);
  });

  it.each([
    ["invalid input", createMemoryValidationError([])],
    ["a failure of the store", createMemoryStorageError("getStats", "no", { retryable: true })],
  ])("keeps its state after %s", async (_, error) => {
    const { provider, outage, events, down } = setUp({ cooldownMs: 60_000 });
    outage.error = down;
    expectOk(await provider.getConversation("c"));
    outage.error = error;
    expect(await provider.appendMessages("other", users("1"), {}, UNOWNED)).toEqual(createFailure(error));
    expectOk(await provider.getConversation("c"));
    expect(events).toHaveLength(2);
  });

  it("passes conflicts and refusals on", async () => {
    const { provider } = setUp();
    expectOk(await provider.appendMessages("c", users("1"), { userId: "u" }, UNOWNED));
    expectError(
      await provider.appendMessages("c", users("1"), { userId: "v" }, UNOWNED),
      "MemoryConflictError",
    );
    expectError(await provider.getConversation(""), "MemoryValidationError");
  });

  it("asks an unreachable primary once per cooldown, and immediately after a healthy check", async () => {
    vi.useFakeTimers();
    try {
      const { provider, outage, down } = setUp({ cooldownMs: 1_000 });
      const ask = async () => {
        outage.calls = 0;
        expectOk(await provider.getConversation("c"));
        return outage.calls;
      };
      outage.error = down;
      expect([await ask(), await ask()]).toEqual([1, 0]);
      vi.advanceTimersByTime(1_000);
      expect([await ask(), await ask()]).toEqual([1, 0]);
      outage.error = undefined;
      expect(await ask()).toBe(0);
      outage.isUnhealthy = true;
      expectOk(await provider.healthCheck());
      expect(await ask()).toBe(0);
      outage.isUnhealthy = false;
      expectOk(await provider.healthCheck());
      expect(await ask()).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  describe("writes and deletions", () => {
    it("fail with the primary, and don't change the fallback", async () => {
      const { provider, fallback, outage, down } = setUp();
      outage.error = down;
      expect(await provider.appendMessages("c", users("1"), {}, UNOWNED)).toEqual(createFailure(down));
      expect(await provider.storeMessages("c", users("1"))).toEqual(createFailure(down));
      expect(await provider.deleteConversation("c")).toEqual(createFailure(down));
      expect(await provider.clearUserConversations("u")).toEqual(createFailure(down));
      expect(expectOk(await fallback.getStats()).totalConversations).toBe(0);
    });

    it("always try the primary, even during the cooldown", async () => {
      const { provider, primary, outage, down } = setUp({ cooldownMs: 60_000 });
      outage.error = down;
      expectOk(await provider.getConversation("other"));
      outage.error = undefined;
      expectOk(await provider.appendMessages("c", users("1"), {}, UNOWNED));
      expect(await readContents(primary, "c")).toEqual(["1"]);
      expect(await readContents(provider, "c")).toEqual(["1"]);
    });
  });

  it("returns the primary's health, and closes both", async () => {
    const { provider, fallback, outage, down } = setUp();
    outage.error = down;
    expect(await provider.healthCheck()).toEqual(createFailure(down));
    expectOk(await provider.close());
    expectError(await fallback.getConversation("c"), "MemoryConnectionError");
  });

  it("closes the fallback even if the primary throws", async () => {
    const fallback = createInMemoryProvider();
    const close = () => {
      throw new Error("no");
    };
    const provider = withFallback({ ...createInMemoryProvider(), close }, fallback);
    await expect(provider.close()).rejects.toThrow("no");
    expectError(await fallback.getConversation("c"), "MemoryConnectionError");
  });

  it("asks the fallback with the arguments as they were at the call", async () => {
    const { provider, fallback, outage, down } = setUp();
    expectOk(await fallback.appendMessages("c", users("1"), { userId: "u" }, UNOWNED));
    outage.error = down;
    const query = { userId: "u" };
    const found = provider.findConversations(query);
    query.userId = "v";
    expect(expectOk(await found)).toHaveLength(1);
  });

  it.each([undefined, null, {}])("refuses the fallback %j", (fallback) => {
    expect(() => withFallback(createInMemoryProvider(), hostile(fallback))).toThrow(TypeError);
  });

  it.each([
    ["writes", "fallback"],
    ["cooldownMs", -1],
    ["onFallback", 5],
    ["cooldown", 5],
  ])("refuses the option %s = %s and names it", (field, value) => {
    const wrap = () =>
      withFallback(createInMemoryProvider(), createInMemoryProvider(), { [field]: value } as never);
    expect(wrap).toThrow(TypeError);
    expect(wrap).toThrow(field);
  });
});
