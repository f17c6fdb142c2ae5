import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { CommandTimeout, createDeadlines } from "../../src/client/command-deadlines.ts";

describe("a call with a deadline", () => {
  it("isn't retried after its timeout", async () => {
    let fail: (reason: Error) => void = () => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const recover = vi.fn(() => Promise.resolve("done"));
    await expect(createDeadlines(10)(work, recover)).rejects.toThrow(CommandTimeout);
    fail(new Error("NOSCRIPT"));
    await setImmediate();
    expect(recover).not.toHaveBeenCalled();
  });

  it("is retried before its timeout", async () => {
    const work = Promise.reject(new Error("NOSCRIPT"));
    expect(await createDeadlines(10_000)(work, () => Promise.resolve("done"))).toBe("done");
  });
});
