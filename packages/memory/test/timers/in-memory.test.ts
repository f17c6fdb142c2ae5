import { describe, expect, it } from "vitest";
import { createInMemoryTimers } from "../../src/index.ts";
import { describeTimersConformance } from "../../src/testing/index.ts";

describeTimersConformance({
  name: "in-memory",
  createTimers: async () => {
    const timers = createInMemoryTimers();
    return { timers, dispose: async () => void (await timers.close()) };
  },
});

describe("the clock of in-memory timers", () => {
  it("decides to the millisecond whether a timer is due", async () => {
    let now = 1_000;
    const timers = createInMemoryTimers({ now: () => now });
    await timers.set({ conversationId: "c", timerId: "t", userId: "u", at: new Date(2_000), content: "x" });
    now = 1_999;
    expect(await timers.due()).toMatchObject({ data: [] });
    now = 2_000;
    expect(await timers.due()).toMatchObject({ data: [{ timerId: "t" }] });
  });
});
