import { describe, expect, it, vi } from "vitest";
import { createInMemoryProvider, MemoryPerformanceMonitor, monitorProvider } from "../../src/index.ts";
import { expectOk } from "../../src/testing/fixtures/expectations.ts";
import { users } from "../../src/testing/fixtures/messages.ts";

describe("MemoryPerformanceMonitor", () => {
  it("computes statistics of the last 100 measurements", async () => {
    vi.useFakeTimers();
    try {
      const monitor = new MemoryPerformanceMonitor();
      expect(monitor.getStats("op")).toBeNull();
      for (const latency of [9_999, ...Array.from({ length: 100 }, (_, index) => index + 1)]) {
        await monitor.measureOperation("op", async () => void vi.advanceTimersByTime(latency));
      }
      expect(monitor.getStats("op")).toEqual({
        avg: 50.5,
        max: 100,
        min: 1,
        count: 100,
        p50: 50,
        p95: 95,
        p99: 99,
      });
      expect(monitor.getOperations()).toEqual(["op"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("returns or throws what the operation does, and counts both", async () => {
    const monitor = new MemoryPerformanceMonitor();
    expect(await monitor.measureOperation("op", async () => 5)).toBe(5);
    const failure = monitor.measureOperation("op", () => Promise.reject(new Error("no")));
    await expect(failure).rejects.toThrow("no");
    expect(monitor.getStats("op")?.count).toBe(2);
  });

  it("measures a provider's methods by name", async () => {
    const monitor = new MemoryPerformanceMonitor();
    const provider = monitorProvider(createInMemoryProvider(), monitor);
    expectOk(await provider.storeMessages("c", users("1")));
    expectOk(await provider.getRecentMessages("c", 1));
    expectOk(await provider.getRecentMessages("c"));
    provider.on("conversation_evicted", () => {});
    expect(monitor.getOperations()).toEqual(["storeMessages", "getRecentMessages"]);
    expect(monitor.getStats("getRecentMessages")?.count).toBe(2);
  });

  it("measures the provider's methods beyond the ten, and adds none", async () => {
    const monitor = new MemoryPerformanceMonitor();
    const { importConversation: _, ...inner } = createInMemoryProvider();
    const provider = monitorProvider(inner, monitor);
    expectOk(await provider.readConversation("c"));
    expectOk(await provider.exportConversation("c"));
    expect(monitor.getOperations()).toEqual(["readConversation", "exportConversation"]);
    expect(provider).not.toHaveProperty("importConversation");
  });
});
