import { runInbox } from "@jaf/core";
import { createInMemoryInbox, createInMemoryTimers, type Timers } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { expect, it } from "vitest";
import { HOUR_MS, identity, startWithTimers } from "../support/timer-fixtures.ts";
import {
  ask,
  begin,
  createScriptedModel,
  createTestService,
  createWorld,
  messagesOf,
} from "../support/turn-fixtures.ts";

const contentOf = (more: object = {}) =>
  JSON.stringify({ format: 1, identity, agentName: "clerk", message: "Boo.", ...more });

/** A promise, and the function that resolves it. */
function createGate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

it("a turn that can't begin keeps no other timer waiting, in two processes", async () => {
  let isStuck = false;
  const context = ({ userId }: { readonly userId: string }) =>
    isStuck && userId === "eve" ? new Promise<object>(() => {}) : {};
  const one = await startWithTimers(["Hello.", "Hello.", "Done.", "Done."], {}, { context });
  const { service, timers, world, conversationId } = one;
  const eve = { userId: "eve" };
  const other = await begin(service, ask("Hi.", { identity: eve }));
  await other.ended;
  one.startService(["Done.", "Done."]);
  isStuck = true;
  const content = contentOf({ identity: eve });
  // Due earlier, so its turn is the first that should begin.
  for (let count = 0; count < 20; count++) {
    const past = { at: new Date(1_000 + count), content };
    await timers.set({ ...past, conversationId: other.conversationId, timerId: `t${count}`, userId: "eve" });
  }
  await one.set({ at: new Date(50_000) });
  await expect.poll(async () => (await messagesOf(world, conversationId)).length).toBe(4);
  await expect.poll(() => timers.find({ userId: "eve" })).toMatchObject({ data: [] });
});

it("a search that finds as many timers as it asked for is followed by the next one at once", async () => {
  const inner = createInMemoryTimers();
  let searches = 0;
  const timers: Timers = {
    ...inner,
    due: (limit) => {
      searches += 1;
      return inner.due(limit);
    },
  };
  const world = createWorld();
  const inbox = createInMemoryInbox();
  const modelProvider = createScriptedModel<unknown>(Array.from({ length: 1_100 }, () => "Done."));
  const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
  const config = { modelProvider, memory };
  const setUp = createTestService(world, modelProvider, { config });
  const conversations: string[] = [];
  for (let count = 0; count < 4; count++) {
    const { conversationId, ended } = await begin(setUp, ask("Hi."));
    await ended;
    conversations.push(conversationId);
  }
  for (let count = 0; count < 1_000; count++) {
    const conversationId = conversations[count % 4] ?? "";
    const timer = { conversationId, timerId: `t${count}`, userId: "ada", at: new Date(1_000 + count) };
    await inner.set({ ...timer, content: contentOf() });
  }
  // The pause between two searches is half an hour or longer.
  createTestService(world, modelProvider, { config, timers, recoverMs: HOUR_MS });
  await expect.poll(() => timers.find(identity), { timeout: 20_000 }).toMatchObject({ data: [] });
  await expect.poll(() => inbox.waiting(), { timeout: 20_000 }).toMatchObject({ data: [] });
  expect(searches).toBe(11);
  const said = await Promise.all(conversations.map((id) => messagesOf(world, id)));
  const fired = said
    .flat()
    .map(messageText)
    .filter((text) => text.startsWith("<timer>"));
  expect(new Set(fired)).toHaveLength(1_000);
  expect(fired).toHaveLength(1_000);
});

it("timers that all fail are searched for after a pause", async () => {
  const inner = createInMemoryTimers();
  for (let count = 0; count < 300; count++) {
    const timer = { conversationId: "c", timerId: `t${count}`, userId: "ada", at: new Date(1_000) };
    await inner.set({ ...timer, content: "{}" });
  }
  let searches = 0;
  const timers: Timers = {
    ...inner,
    due: (limit) => {
      searches += 1;
      return inner.due(limit);
    },
  };
  const world = createWorld();
  const broken = { ...world.provider, readConversation: () => Promise.reject(new Error("no store")) };
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const modelProvider = createScriptedModel<unknown>([]);
  const memory = { provider: broken, autoStore: true, inbox: runInbox(createInMemoryInbox()) };
  const more = { timers, onError, recoverMs: HOUR_MS, config: { modelProvider, memory } };
  const service = createTestService(world, modelProvider, more);
  await expect.poll(() => errors.length).toBe(1);
  await service.close();
  expect(searches).toBe(1);
});

it("no timer is moved after close", async () => {
  const { opened, open } = createGate();
  const inner = createInMemoryTimers();
  const calls: string[] = [];
  const timers: Timers = {
    ...inner,
    advance: async (step) => {
      calls.push("begun");
      await opened;
      const moved = await inner.advance(step);
      calls.push("moved");
      return moved;
    },
  };
  const { service, set } = await startWithTimers(["Hello.", "Done."], { timers });
  await set({ at: new Date(1_000) });
  await expect.poll(() => calls).toEqual(["begun"]);
  const closed = service.close().then(() => calls.push("closed"));
  // After all that `close` does without waiting.
  setTimeout(open, 50);
  await closed;
  expect(calls).toEqual(["begun", "moved", "closed"]);
});

it("a timer that is set again for the same time says its new text", async () => {
  const { set, said, list } = await startWithTimers(["Hello.", "Done.", "Done."]);
  const at = new Date(1_000);
  const timerId = "\u{1F600}".repeat(100);
  await set({ at, timerId, message: "Drink!" });
  await expect.poll(async () => (await said()).length).toBe(4);
  await expect.poll(list).toEqual([]);
  await set({ at, timerId, message: "Eat!" });
  await expect.poll(async () => (await said()).length).toBe(6);
  expect((await said())[4]).toContain("Eat!");
});

it.each([[{ cron: "0 9 * * 1#1", timeZone: "UTC" }], [{ cron: "0 9 * * *", timeZone: "Mars/Base" }]])(
  "a schedule of a newer release is left to it, %j",
  async (schedule) => {
    const { timers, errors, conversationId, said } = await startWithTimers(["Hello."]);
    const timer = { conversationId, timerId: "t", userId: "ada", at: new Date(1_000) };
    await timers.set({ ...timer, content: contentOf({ schedule }) });
    await expect.poll(() => errors.map(String)).toEqual([expect.stringContaining("unknown")]);
    expect(await timers.find({ userId: "ada" })).toMatchObject({ data: [{ timerId: "t" }] });
    expect(await said()).toHaveLength(2);
  },
);

it("a schedule without a further time is erased", async () => {
  const { timers, conversationId, said } = await startWithTimers(["Hello.", "Done."]);
  const schedule = { cron: "0 0 30 2 *", timeZone: "UTC" };
  const timer = { conversationId, timerId: "t", userId: "ada", at: new Date(1_000) };
  await timers.set({ ...timer, content: contentOf({ schedule }) });
  await expect.poll(() => timers.find({ userId: "ada" })).toMatchObject({ data: [] });
  await expect.poll(async () => (await said()).length).toBe(4);
});
