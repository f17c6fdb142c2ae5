import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createRedisTimers } from "../../src/index.ts";
import { freshPrefix } from "../support/stores.ts";
import { describeTimersOn } from "../support/timers.ts";

describeTimersOn("node-redis");

const timer = { conversationId: "a{b}%", timerId: "t", userId: "user:{x}", at: new Date(5), content: "x" };

describe("the keys of timers", () => {
  const client = createClient({ url: inject("redisUrl") });
  beforeAll(async () => void (await client.connect()));
  afterEach(() => void vi.useRealTimers());
  afterAll(() => client.close());

  function open(tag = "") {
    const keyPrefix = freshPrefix() + tag;
    const keys = async () =>
      (await client.keys(`${keyPrefix}*`)).map((key) => key.slice(keyPrefix.length)).sort();
    return { timers: createRedisTimers({ keyPrefix }, client), keyPrefix, keys };
  }

  it("are in one slot, and all gone when the last timer is", async () => {
    const { timers, keys } = open();
    const left = ["{timers}:conversation:a{b}%", "{timers}:due", "{timers}:user:user:{x}"];
    const ends: readonly (() => Promise<unknown>)[] = [
      () => timers.remove(timer),
      () => timers.advance({ ...timer, from: timer.at, to: null }),
      () => timers.deleteConversation(timer.conversationId),
      () => timers.deleteUser(timer.userId),
    ];
    for (const end of ends) {
      await timers.set(timer);
      expect(await keys()).toEqual(left);
      await end();
      expect(await keys()).toEqual([]);
    }
  });

  it("are gone when another user has replaced a user's only timer", async () => {
    const { timers, keys } = open();
    await timers.set(timer);
    await timers.set({ ...timer, userId: "v" });
    expect(await keys()).toEqual(["{timers}:conversation:a{b}%", "{timers}:due", "{timers}:user:v"]);
  });

  it("don't block what is due if one of them was deleted by hand", async () => {
    const { timers, keyPrefix } = open();
    await timers.set(timer);
    await timers.set({ ...timer, conversationId: "c", at: new Date(6) });
    await client.del(`${keyPrefix}{timers}:conversation:a{b}%`);
    expect(await timers.due(1)).toEqual({ success: true, data: [] });
    expect(await timers.due(1)).toMatchObject({ data: [{ conversationId: "c" }] });
    expect(await timers.find({ userId: timer.userId })).toMatchObject({ data: [{ conversationId: "c" }] });
    expect(await client.zCard(`${keyPrefix}{timers}:user:${timer.userId}`)).toBe(1);
  });

  it("are due by the clock of the server", async () => {
    const { timers } = open();
    await timers.set({ ...timer, at: new Date(Date.now() + 3_600_000) });
    vi.useFakeTimers({ now: Date.now() + 7_200_000, toFake: ["Date"] });
    expect(await timers.due()).toEqual({ success: true, data: [] });
    await timers.set({ ...timer, at: new Date(Date.now() - 10_800_000) });
    expect(await timers.due()).toMatchObject({ data: [{ timerId: "t" }] });
  });
});

it("refuses anything but a client", () => {
  expect(() => createRedisTimers({}, {} as never)).toThrow(TypeError);
});
