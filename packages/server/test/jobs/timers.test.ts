import { setTimeout as sleep } from "node:timers/promises";
import { runInbox } from "@jaf/core";
import {
  createFailure,
  createInMemoryInbox,
  createInMemoryTimers,
  createMemoryStorageError,
  type Inbox,
  type Timers,
} from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { MemoryUserMemory } from "@jaf/user-memory";
import { describe, expect, it } from "vitest";
import { createTurnService } from "../../src/jobs/create-turn-service.ts";
import type { TimerRequest } from "../../src/turns/timer-service.ts";
import {
  ask,
  begin,
  clerk,
  createScriptedModel,
  createTestService,
  createWorld,
  messagesOf,
  type ServiceOptions,
  type World,
} from "../support/turn-fixtures.ts";

const HOUR_MS = 3_600_000;
const identity = { userId: "ada" };

interface Stores {
  readonly world?: World;
  readonly inbox?: Inbox;
  readonly timers?: Timers;
}

/** A service whose timers are due by a clock that the test moves. */
async function startWithTimers(replies: readonly string[], stores: Stores = {}, more: ServiceOptions = {}) {
  const clock = { now: Date.now() };
  const world = stores.world ?? createWorld();
  const inbox = stores.inbox ?? createInMemoryInbox();
  const timers = stores.timers ?? createInMemoryTimers({ now: () => clock.now });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const startService = (said: readonly string[]) => {
    const modelProvider = createScriptedModel<unknown>(said);
    const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
    const config = { modelProvider, memory, ...more.config };
    return createTestService(world, modelProvider, { timers, recoverMs: 20, onError, ...more, config });
  };
  const service = startService(replies);
  const { conversationId, ended } = await begin(service, ask("Hi."));
  await ended;
  const set = async (timer: Partial<TimerRequest> & object) => {
    const common = { identity, conversationId, timerId: "t", agentName: "clerk", message: "Drink!" };
    const result = await service.timers?.set({ ...common, ...timer } as TimerRequest);
    if (result?.set !== true) throw new Error(JSON.stringify(result));
    return result.timer;
  };
  const list = () => service.timers?.list(identity);
  const said = async () => (await messagesOf(world, conversationId)).map(messageText);
  return {
    ...{ clock, world, inbox, timers, errors, service, startService },
    conversationId,
    set,
    list,
    said,
  };
}

describe("a timer that is due", () => {
  it("begins a turn with its message, which is marked as a timer's, and is removed", async () => {
    const { clock, world, conversationId, set, list } = await startWithTimers(["Hello.", "Drink now."]);
    const { at } = await set({ at: new Date(Date.now() + HOUR_MS) });
    expect(await list()).toMatchObject([{ timerId: "t", message: "Drink!", agentName: "clerk" }]);
    clock.now += 2 * HOUR_MS;
    await expect.poll(async () => (await messagesOf(world, conversationId)).length).toBe(4);
    const [, , message] = await messagesOf(world, conversationId);
    expect(message).toMatchObject({ role: "user", from: "timer" });
    expect(message?.content).toContain(`Timer "t", due at ${at.toISOString()}:\nDrink!\n</timer>`);
    await expect.poll(list).toEqual([]);
  });

  it("is sent once by two servers", async () => {
    const one = await startWithTimers(["Hello."]);
    const replies = Array.from({ length: 30 }, () => "Done.");
    one.startService(replies);
    one.startService(replies);
    const times = Array.from({ length: 10 }, (_, index) => new Date(Date.now() + HOUR_MS + index));
    for (const at of times) await one.set({ at, timerId: `t${at.getTime()}`, message: `${at.getTime()}` });
    one.clock.now += 2 * HOUR_MS;
    await expect.poll(one.list, { timeout: 10_000 }).toEqual([]);
    await expect.poll(async () => (await one.inbox.waiting()).success).toBe(true);
    await expect.poll(() => one.inbox.waiting(), { timeout: 10_000 }).toMatchObject({ data: [] });
    const fired = (await one.said()).filter((text) => text.startsWith("<timer>"));
    expect(fired).toHaveLength(10);
    expect(new Set(fired)).toHaveLength(10);
  });

  it("of a conversation that is gone, or is another user's now, is erased", async () => {
    const { timers, said, conversationId, list } = await startWithTimers(["Hello."]);
    const content = JSON.stringify({ format: 1, identity, agentName: "clerk", message: "Boo." });
    const past = { at: new Date(1_000), content };
    await timers.set({ ...past, conversationId: "gone", timerId: "t", userId: "ada" });
    await timers.set({ ...past, conversationId, timerId: "t", userId: "eve" });
    await expect.poll(list).toEqual([]);
    await expect.poll(() => timers.find({ userId: "eve" })).toMatchObject({ data: [] });
    expect(await said()).toEqual(["Hi.", "Hello."]);
  });

  it("says nothing if a provider has deleted the conversation meanwhile, and is erased", async () => {
    const { clock, world, conversationId, set, list } = await startWithTimers(["Hello."]);
    await set({ at: new Date(Date.now() + HOUR_MS) });
    await world.provider.deleteConversation(conversationId);
    // Several searches.
    await sleep(200);
    expect(await list()).toHaveLength(1);
    clock.now += 2 * HOUR_MS;
    await expect.poll(list).toEqual([]);
    expect(await world.provider.getConversation(conversationId)).toEqual({ success: true, data: null });
  });

  it("is reported once while it fails, and is sent when it can be", async () => {
    let isFull = true;
    const inner = createInMemoryInbox();
    const full = createFailure(createMemoryStorageError("put", "the inbox is full", { retryable: true }));
    const inbox: Inbox = { ...inner, put: async (entry) => (isFull ? full : inner.put(entry)) };
    const { errors, said, set, list, service } = await startWithTimers(["Hello."], { inbox });
    await set({ at: new Date(1_000) });
    await set({ at: new Date(2_000), timerId: "u" });
    await expect.poll(() => errors.length).toBe(1);
    // Several searches.
    await sleep(200);
    expect(errors).toHaveLength(1);
    expect(String(errors[0])).toContain("the inbox is full");
    expect(await list()).toHaveLength(2);
    isFull = false;
    // Another process tries at once; this one waits for longer and longer.
    await service.close();
    const next = await startWithTimers(["Hello.", "Done.", "Done."], { inbox });
    await next.set({ at: new Date(1_000) });
    await expect.poll(async () => (await next.said()).length).toBe(4);
    expect(await said()).toEqual(["Hi.", "Hello."]);
  });

  it("of a newer release is left to it", async () => {
    const { timers, errors, conversationId, said } = await startWithTimers(["Hello."]);
    const timer = { conversationId, timerId: "t", userId: "ada", at: new Date(1_000) };
    await timers.set({ ...timer, content: JSON.stringify({ format: 2 }) });
    await expect.poll(() => errors.length).toBe(1);
    await sleep(100);
    expect(errors).toHaveLength(1);
    expect(await timers.find({ userId: "ada" })).toMatchObject({ data: [{ timerId: "t" }] });
    expect(await said()).toHaveLength(2);
  });
});

describe("a schedule", () => {
  it("fires once after days without a process, and goes on from now", async () => {
    const { timers, conversationId, said, list } = await startWithTimers(["Hello.", "Done."]);
    const schedule = { cron: "*/5 * * * *", timeZone: "UTC" };
    const content = JSON.stringify({ format: 1, identity, agentName: "clerk", message: "Boo.", schedule });
    const at = new Date(Date.now() - 72 * HOUR_MS);
    await timers.set({ conversationId, timerId: "t", userId: "ada", at, content });
    await expect.poll(async () => (await said()).length).toBe(4);
    const [next] = (await list()) ?? [];
    expect(next?.at.getTime()).toBeGreaterThan(Date.now() - 1_000);
    expect(next?.at.getTime()).toBeLessThanOrEqual(Date.now() + 5 * 60_000);
    await sleep(100);
    expect(await said()).toHaveLength(4);
  });

  it("isn't sent again while its last message waits", async () => {
    const { clock, timers, inbox, conversationId, set, list } = await startWithTimers(["Hello."]);
    await inbox.put({
      conversationId,
      userId: "ada",
      key: `timer:t:${new Date(0).toISOString()}`,
      content: "x",
    });
    await inbox.put({ conversationId, userId: "ada", key: "timer:tt:", content: "x" });
    const before = await set({ cron: "* * * * *" });
    clock.now += HOUR_MS;
    await expect
      .poll(async () => (await timers.due()).success && (await list())?.[0]?.at)
      .not.toEqual(before.at);
    expect(await inbox.read({ conversationId })).toMatchObject({ data: [{}, {}] });
  });

  it.each([
    [{ cron: "* * * * * *" }, "five fields"],
    [{ cron: "2027-01-01T00:00:00" }, "five fields"],
    [{ cron: "x".repeat(10_000) }, "five fields"],
    [{ cron: "" }, "five fields"],
    [{ cron: "@reboot" }, "five fields"],
    [{ cron: "0 0 30 2 *" }, "matches a day"],
    [{ cron: "0 0 31 2,4,6,9,11 *", timeZone: "Pacific/Apia" }, "matches a day"],
    [{ cron: "0 9 * * *", timeZone: "Mars/Base" }, "timeZone"],
    [{ cron: "0 9 * * *", timeZone: "+02:00" }, "timeZone"],
    [{ at: new Date(Number.NaN) }, "at"],
    [{ at: new Date(2_000_000_000_000), timerId: "x".repeat(201) }, "timerId"],
    [{ at: new Date(2_000_000_000_000), timerId: "" }, "timerId"],
    [{ at: new Date(2_000_000_000_000), message: "" }, "message"],
    [{ at: new Date(2_000_000_000_000), message: "x".repeat(10_001) }, "message"],
  ])("is refused if it is invalid, %j", async (time, why) => {
    const { service, conversationId } = await startWithTimers(["Hello."]);
    const common = { identity, conversationId, timerId: "t", agentName: "clerk", message: "Boo." };
    const result = await service.timers?.set({ ...common, ...time } as TimerRequest);
    expect(result).toMatchObject({ set: false, refusal: { reason: "invalid" } });
    expect(JSON.stringify(result)).toContain(why);
  });

  it("is due by the clock of its time zone", async () => {
    const { set } = await startWithTimers(["Hello."]);
    const { at } = await set({ cron: "30 9 1 7 *", timeZone: "Europe/Paris" });
    expect(at.toISOString()).toMatch(/-07-01T07:30:00\.000Z$/);
  });
});

it("what a timer says is no fact about the user", async () => {
  const userMemory = new MemoryUserMemory();
  const remembering = { ...clerk, remembers: { user: "ada", extract: "verbatim" as const } };
  const world = createWorld();
  const inbox = createInMemoryInbox();
  const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
  const modelProvider = createScriptedModel<unknown>(["Hello.", "Done.", "Fine."]);
  const config = { modelProvider, memory, userMemory };
  const { conversationId, set, said, service } = await startWithTimers(
    ["Hello.", "Done.", "Fine."],
    { world, inbox },
    { agents: [remembering], config },
  );
  await set({ at: new Date(1_000), message: "I live in Rome." });
  await expect.poll(async () => (await said()).length).toBe(4);
  const { ended } = await begin(service, ask("I live in Oslo.", { target: { conversationId } }));
  await ended;
  const facts = async () => (await userMemory.list("ada")).map(({ fact }) => fact).join();
  await expect.poll(facts).toContain("Oslo");
  expect(await facts()).not.toContain("Rome");
});

it("timers without an inbox are refused", () => {
  const { log, provider } = createWorld();
  const options = { log, agents: [clerk], context: () => ({}), timers: createInMemoryTimers() };
  const config = { modelProvider: createScriptedModel<unknown>([]), memory: { provider } };
  expect(() => createTurnService({ ...options, config })).toThrow(/timers: expected an inbox/);
});
