import { describe, expect, test } from "vitest";
import { MemoryUserMemory } from "../../src/memory-user-memory.ts";

describe("a time that is none is refused, so that no job is left where nobody is handed it", () => {
  const enqueued = async (leaseMs: number) => {
    const memory = new MemoryUserMemory();
    const since = await memory.mark("alice");
    const turn = { said: ["I like tea"], reply: "ok", saidAt: new Date(), tags: [], threshold: 0.7, since };
    return { memory, leased: await memory.queue.enqueue({ id: "1", userId: "alice", ...turn }, { leaseMs }) };
  };
  const invalid = { name: "UserMemoryError", code: "invalid" };

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1e15, "1000", undefined])("%s", async (given) => {
    const time = given as number;
    await expect(enqueued(time)).rejects.toMatchObject(invalid);
    const { memory, leased } = await enqueued(60_000);
    await expect(memory.queue.lease({ limit: 1, leaseMs: time })).rejects.toMatchObject(invalid);
    await expect(leased?.release(time)).rejects.toMatchObject(invalid);
    expect(await memory.queue.size()).toBe(1);
  });

  test("as is a limit that is none", async () => {
    const { memory } = await enqueued(0);
    await expect(memory.queue.lease({ limit: Number.NaN, leaseMs: 1 })).rejects.toMatchObject(invalid);
  });
});
