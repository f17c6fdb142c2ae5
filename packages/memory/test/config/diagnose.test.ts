import { describe, expect, it, vi } from "vitest";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryStorageError,
  createSuccess,
  diagnoseMemoryProvider,
  formatMemoryDiagnosis,
  type MemoryDiagnosis,
} from "../../src/index.ts";
import { expectOk } from "../../src/testing/fixtures/expectations.ts";
import { hostile, users } from "../../src/testing/fixtures/messages.ts";

const failedSteps = ({ steps }: MemoryDiagnosis) => steps.filter(({ ok }) => !ok).map(({ name }) => name);

const broken = createFailure(createMemoryStorageError("test", "it is broken"));

describe("diagnoseMemoryProvider", () => {
  it("reports a working provider as ok, and leaves it unchanged", async () => {
    const provider = createInMemoryProvider();
    expectOk(await provider.storeMessages("theirs", users("s3cret")));
    const diagnosis = await diagnoseMemoryProvider(provider);
    expect(diagnosis.ok).toBe(true);
    expect(diagnosis).not.toHaveProperty("leftoverConversationId");
    expect(diagnosis.steps.map(({ name }) => name)).toEqual([
      "health",
      "stats",
      "store",
      "read",
      "append",
      "read-back",
      "delete",
      "gone",
    ]);
    for (const { latencyMs } of diagnosis.steps) expect(latencyMs).toBeGreaterThanOrEqual(0);
    expect(expectOk(await provider.getStats())).toMatchObject({ totalConversations: 1, totalMessages: 1 });
    expect(formatMemoryDiagnosis(diagnosis)).toMatch(/^health \(\d+\.\d ms\): ok$/m);
  });

  it("deletes its conversation even if earlier steps fail", async () => {
    const provider = createInMemoryProvider();
    const appendMessages = async () => broken;
    const diagnosis = await diagnoseMemoryProvider({ ...provider, appendMessages });
    expect(failedSteps(diagnosis)).toEqual(["append", "read-back"]);
    expect(expectOk(await provider.getStats()).totalConversations).toBe(0);
    expect(formatMemoryDiagnosis(diagnosis)).toContain("append");
    expect(formatMemoryDiagnosis(diagnosis)).toContain("it is broken");
  });

  it("names a conversation that may remain and expires", async () => {
    const provider = createInMemoryProvider();
    const storeMessages = vi.fn(provider.storeMessages);
    const diagnosis = await diagnoseMemoryProvider({
      ...provider,
      storeMessages,
      deleteConversation: async () => broken,
    });
    expect(failedSteps(diagnosis)).toEqual(["delete", "gone"]);
    const [[id, , , options] = []] = storeMessages.mock.calls;
    expect(diagnosis.leftoverConversationId).toBe(id);
    expect(options).toEqual({ expectedVersion: 0, ttlSeconds: 300 });
    expect(formatMemoryDiagnosis(diagnosis)).toContain(
      `${id} may still be stored. It expires in 5 minutes if`,
    );
  });

  it("reports a provider that throws, hangs or returns something else", async () => {
    const provider = createInMemoryProvider();
    const faults = {
      healthCheck: () => {
        throw new Error("at once");
      },
      getStats: () => Promise.reject("later"),
      getConversation: () => new Promise<never>(() => {}),
      deleteConversation: async () => hostile(undefined),
    };
    const diagnosis = await diagnoseMemoryProvider({ ...provider, ...faults }, { timeoutMs: 5 });
    expect(failedSteps(diagnosis)).toEqual(["health", "stats", "read", "read-back", "delete", "gone"]);
    const tags = diagnosis.steps.map(({ error }) => error?._tag.replace("Memory", ""));
    expect(tags.filter((tag) => tag === "ConnectionError")).toHaveLength(3);
    expect(diagnosis.steps[0]?.error).toMatchObject({ cause: { message: "at once" } });
  });

  it("detects a store that is unhealthy, loses data or invents data", async () => {
    const provider = createInMemoryProvider();
    const diagnosis = await diagnoseMemoryProvider({
      ...provider,
      healthCheck: async () => createSuccess({ healthy: false, error: "no disk" }),
      getConversation: async () => createSuccess(null),
      deleteConversation: async () => createSuccess(false),
    });
    expect(failedSteps(diagnosis)).toEqual(["health", "read", "read-back", "delete"]);
    expect(diagnosis.steps[0]?.error?.message).toContain("no disk");
  });

  it("accepts a store that keeps one message of a conversation", async () => {
    const provider = createInMemoryProvider({ maxMessagesPerConversation: 1 });
    expect((await diagnoseMemoryProvider(provider)).ok).toBe(true);
  });

  it("evicts nothing from a full store with write: false", async () => {
    const provider = createInMemoryProvider({ maxConversations: 1 });
    expectOk(await provider.storeMessages("theirs", users("1")));
    const diagnosis = await diagnoseMemoryProvider(provider, { write: false });
    expect(diagnosis.steps.map(({ name, ok }) => [name, ok])).toEqual([
      ["health", true],
      ["stats", true],
      ["read", true],
    ]);
    expect(diagnosis).not.toHaveProperty("leftoverConversationId");
    expect(expectOk(await provider.getConversation("theirs"))).not.toBeNull();
  });

  it("deletes again if a write arrives after the deletion, and says that it may remain", async () => {
    const provider = createInMemoryProvider();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const storeMessages: typeof provider.storeMessages = async (...args) => {
      await released;
      return provider.storeMessages(...args);
    };
    const appendMessages = async () => broken;
    const slow = { ...provider, storeMessages, appendMessages };
    const diagnosis = await diagnoseMemoryProvider(slow, { timeoutMs: 5 });
    expect(failedSteps(diagnosis)).toContain("store");
    expect(diagnosis.leftoverConversationId).toBeDefined();
    release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(expectOk(await provider.getStats()).totalConversations).toBe(0);
  });

  it("detects a deletion that deletes nothing", async () => {
    const provider = createInMemoryProvider();
    const deleteConversation = async () => createSuccess(true);
    const diagnosis = await diagnoseMemoryProvider({ ...provider, deleteConversation });
    expect(failedSteps(diagnosis)).toEqual(["gone"]);
    expect(diagnosis.leftoverConversationId).toBeDefined();
  });

  it.each([
    { success: false, error: undefined },
    { success: false, error: "text" },
    { success: "yes", data: { totalConversations: 0, totalMessages: 0 } },
    { success: true, data: undefined },
    { success: true },
    null,
    5,
  ])("counts the answer %j as a failure, with a readable line", async (answer) => {
    const diagnosis = await diagnoseMemoryProvider({
      ...createInMemoryProvider(),
      healthCheck: async () => hostile(answer),
      getStats: async () => hostile(answer),
      deleteConversation: async () => hostile(answer),
    });
    expect(failedSteps(diagnosis)).toEqual(["health", "stats", "delete", "gone"]);
    expect(formatMemoryDiagnosis(diagnosis)).not.toContain("undefined");
  });

  it("refuses unknown options", async () => {
    const call = diagnoseMemoryProvider(createInMemoryProvider(), hostile({ timeout: 5 }));
    await expect(call).rejects.toThrow(TypeError);
  });
});
