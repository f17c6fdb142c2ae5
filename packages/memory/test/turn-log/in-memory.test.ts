import { describe, expect, it } from "vitest";
import { describeTurnLogConformance } from "../../src/testing/index.ts";
import { createInMemoryTurnLog } from "../../src/turn-log/in-memory.ts";

describeTurnLogConformance({
  name: "in memory",
  createLog: async () => {
    const log = createInMemoryTurnLog();
    return { log, dispose: async () => void (await log.close()) };
  },
});

describe("the clock of an in-memory turn log", () => {
  const turn = { conversationId: "c", turnId: "t" };

  async function begun() {
    let now = 1_000_000;
    const log = createInMemoryTurnLog({ now: () => now });
    await log.begin({ ...turn, userId: "u", request: "", leaseSeconds: 1.5, keepSeconds: 60 });
    return { log, setTime: (ms: number) => (now = 1_000_000 + ms) };
  }

  it("ends leases to the millisecond", async () => {
    const { log, setTime } = await begun();
    setTime(1_499);
    expect(await log.takeOver(turn)).toEqual({ success: true, data: null });
    setTime(1_500);
    expect(await log.takeOver(turn)).toMatchObject({ data: { turn: { state: "running" } } });
  });

  it("keeps a turn that no writer continues for the given time", async () => {
    const { log, setTime } = await begun();
    setTime(59_999);
    expect(await log.read(turn)).toMatchObject({ data: { turn } });
    setTime(60_000);
    expect(await log.read(turn)).toEqual({ success: true, data: null });
  });

  it("continues after many have expired", async () => {
    const { log, setTime } = await begun();
    for (let at = 0; at < 200; at++) {
      setTime(at * 10_000);
      const conversationId = `c${at}`;
      const fields = { userId: "u", request: "", leaseSeconds: 1, keepSeconds: 60 };
      const answer = await log.begin({ conversationId, turnId: "t", ...fields });
      expect(answer).toMatchObject({ data: { begun: true } });
    }
    expect(await log.abandoned(1_000)).toMatchObject({ data: { length: 5 } });
  });
});
