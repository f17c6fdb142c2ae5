import { describe, expect, it } from "vitest";
import { createInMemoryInbox } from "../../src/index.ts";
import { describeInboxConformance } from "../../src/testing/index.ts";

describeInboxConformance({
  name: "in-memory",
  createInbox: async () => {
    let aheadMs = 0;
    const inbox = createInMemoryInbox({ now: () => Date.now() + aheadMs });
    const age = async (seconds: number) => {
      aheadMs += seconds * 1_000;
    };
    return { inbox, age, dispose: async () => void (await inbox.close()) };
  },
});

describe("the clock of an in-memory inbox", () => {
  const entry = { conversationId: "c", userId: "u", key: "k", content: "x" };

  it("lets a key be known for 24 hours to the millisecond", async () => {
    let now = 1_000_000;
    const inbox = createInMemoryInbox({ now: () => now });
    await inbox.put(entry);
    now += 86_399_999;
    expect(await inbox.put(entry)).toMatchObject({ data: { isNew: false } });
    now += 1;
    expect(await inbox.put(entry)).toMatchObject({ data: { isNew: true } });
  });

  it("asks for the time as often with many forgotten inboxes as with few", async () => {
    let now = 0;
    let asked = 0;
    const clock = () => {
      asked += 1;
      return now;
    };
    const inbox = createInMemoryInbox({ now: clock });
    for (let at = 0; at < 500; at++) {
      const conversationId = `c${at}`;
      const answer = await inbox.put({ ...entry, conversationId });
      if (answer.success) await inbox.remove({ conversationId, upTo: answer.data.cursor });
    }
    now += 86_400_000;
    asked = 0;
    await inbox.put({ ...entry, conversationId: "new" });
    expect(asked).toBeLessThan(30);
    for (let at = 0; at < 40; at++) await inbox.put({ ...entry, conversationId: `later ${at}` });
    expect(await inbox.waiting({ limit: 1_000 })).toMatchObject({ data: { length: 41 } });
  });
});
