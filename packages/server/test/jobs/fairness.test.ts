import { setTimeout as sleep } from "node:timers/promises";
import { runInbox } from "@jaf/core";
import { createInMemoryInbox } from "@jaf/memory";
import { expect, test } from "vitest";
import { createTestQueue } from "../support/test-queue.ts";
import {
  createScriptedModel,
  createTestService,
  createWorld,
  messagesOf,
  type ServiceOptions,
} from "../support/turn-fixtures.ts";

/** A service whose model waits for `release`, and an inbox that several services share. */
function open(options: ServiceOptions = {}) {
  const world = createWorld();
  const inbox = createInMemoryInbox();
  const waiting: { readonly name: string; readonly go: () => void }[] = [];
  const modelProvider = createScriptedModel(async ({ state }) => {
    const name = String(state.messages.at(-1)?.content);
    await new Promise<void>((resolve) => waiting.push({ name, go: resolve }));
    if (name.includes("fail")) throw new Error("no model");
    return "Done.";
  });
  const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
  const openService = (own: ServiceOptions) =>
    createTestService(world, modelProvider, { ...own, config: { modelProvider, memory } });
  const service = openService(options);

  async function sendAll(userId: string, texts: readonly string[]) {
    for (const text of texts) {
      const conversationId = `${userId}-${text}`;
      await world.provider.appendMessages(conversationId, [], { userId }, { createIfMissing: true });
      const sent = await service.send?.({
        ...{ identity: { userId }, conversationId, agentName: "clerk", message: text, key: "k" },
      });
      expect(sent).toMatchObject({ sent: true });
    }
  }
  const running = () => waiting.map(({ name }) => name).sort();
  const end = (name: string) => {
    const at = waiting.findIndex((one) => one.name === name);
    waiting.splice(at, 1)[0]?.go();
  };
  const left = async () => {
    const found = await inbox.waiting();
    return found.success ? found.data.map(({ conversationId }) => conversationId) : [];
  };
  return { world, inbox, service, openService, sendAll, running, end, left };
}

test("A user's messages begin at most turnsPerUser turns at once, and the others' don't wait for them", async () => {
  const { sendAll, running, end, left } = open({ turnsPerUser: 2 });
  await sendAll("ada", ["a1", "a2", "a3", "a4", "a5"]);
  await sendAll("ben", ["b1"]);
  await expect.poll(running).toEqual(["a1", "a2", "b1"]);
  expect(await left()).toEqual(["ada-a3", "ada-a4", "ada-a5"]);
  end("a2");
  await expect.poll(running).toEqual(["a1", "a3", "b1"]);
  end("a1");
  end("a3");
  await expect.poll(running).toEqual(["a4", "a5", "b1"]);
  expect(await left()).toEqual([]);
});

test("Without a limit, each message begins its turn", async () => {
  const { sendAll, running } = open({ turnsPerUser: Number.POSITIVE_INFINITY });
  const texts = Array.from({ length: 12 }, (_, nth) => `a${nth}`);
  await sendAll("ada", texts);
  await expect.poll(running).toEqual([...texts].sort());
});

test("A failed turn lets the next conversation of its user begin", async () => {
  const { sendAll, running, end } = open({ turnsPerUser: 1 });
  await sendAll("ada", ["a1 fail", "a2"]);
  await expect.poll(running).toEqual(["a1 fail"]);
  end("a1 fail");
  await expect.poll(running).toEqual(["a2"]);
});

test("The search finds another user's message behind those of a user who has enough turns", async () => {
  const { world, inbox, sendAll, running } = open({ turnsPerUser: 1, recoverMs: 20 });
  await sendAll("ada", ["a1"]);
  await expect.poll(running).toEqual(["a1"]);
  const content = JSON.stringify({
    ...{ format: 1, content: "hidden", identity: { userId: "ben" }, agentName: "clerk" },
  });
  const put = (userId: string, conversationId: string) =>
    inbox.put({ conversationId, userId, key: "k", content: content.replace("ben", userId) });
  // More than one search looks at, as if the process that got them had died.
  for (let at = 0; at < 1_000; at++) await put("ada", `ada-${at}`);
  await world.provider.appendMessages("ben-1", [], { userId: "ben" }, { createIfMissing: true });
  await put("ben", "ben-1");
  await expect.poll(running, { timeout: 10_000 }).toEqual(["a1", "hidden"]);
});

test("With a queue, at most turnsPerUser pointers of a user wait, and the workers submit the others", async () => {
  const { queue, waiting, submitted } = createTestQueue();
  const { world, openService, sendAll, running, end, left } = open({
    ...{ queue, concurrency: 0, turnsPerUser: 3 },
  });
  await sendAll("ada", ["a1", "a2", "a3", "a4", "a5"]);
  await expect.poll(() => waiting().length).toBe(3);
  expect(submitted).toHaveLength(3);
  openService({ queue, turnsPerUser: 3 });
  for (const text of ["a1", "a2", "a3", "a4", "a5"]) {
    await expect.poll(running).toContain(text);
    end(text);
  }
  const repliesTo = async (id: string) => (await messagesOf(world, id)).map(({ content }) => content);
  await expect.poll(() => repliesTo("ada-a5")).toEqual(["a5", "Done."]);
  expect(await repliesTo("ada-a1")).toEqual(["a1", "Done."]);
  expect(await left()).toEqual([]);
  expect(submitted).toHaveLength(5);
});

test("The search finds a message behind many that wait for the user", async () => {
  const { inbox, world, running } = open({ recoverMs: 20 });
  const content = JSON.stringify({
    ...{ format: 1, content: "hidden", identity: { userId: "ben" }, agentName: "clerk" },
  });
  // Conversations that no server has sent to can't begin a turn, as little as those that wait for an approval.
  for (let at = 0; at < 1_000; at++)
    await inbox.put({ conversationId: `c-${at}`, userId: `ada-${at}`, key: "k", content: "{}" });
  await world.provider.appendMessages("ben-1", [], { userId: "ben" }, { createIfMissing: true });
  await inbox.put({ conversationId: "ben-1", userId: "ben", key: "k", content });
  await expect.poll(running, { timeout: 10_000 }).toEqual(["hidden"]);
});

test("Users whose context never ends don't keep the search from the others", async () => {
  const errors: unknown[] = [];
  const { inbox, world, running } = open({
    ...{ recoverMs: 20, leaseSeconds: 1, onError: (error) => errors.push(error) },
    context: ({ userId }) => (userId.startsWith("stuck") ? new Promise<never>(() => {}) : {}),
  });
  for (const userId of [...Array.from({ length: 9 }, (_, at) => `stuck-${at}`), "ben"]) {
    await world.provider.appendMessages(userId, [], { userId }, { createIfMissing: true });
    const content = { format: 1, content: userId, identity: { userId }, agentName: "clerk" };
    await inbox.put({ conversationId: userId, userId, key: "k", content: JSON.stringify(content) });
  }
  await expect.poll(running, { timeout: 10_000 }).toEqual(["ben"]);
  expect(String(errors[0])).toContain("hasn't begun within 1 s");
});

test("With a queue, turns that only timers begin have a lower priority than those of users", async () => {
  const { queue, waiting } = createTestQueue();
  const { world, service } = open({ queue, concurrency: 0 });
  for (const [at, from] of (["timer", "work", "user"] as const).entries()) {
    const conversationId = `ada-${at}`;
    await world.provider.appendMessages(conversationId, [], { userId: "ada" }, { createIfMissing: true });
    const request = { identity: { userId: "ada" }, conversationId, agentName: "clerk", message: "Hi." };
    await service.send?.({ ...request, key: "k", from });
  }
  const priorities = () =>
    waiting().map(({ pointer, submission }) => [pointer.conversationId, submission.priority]);
  await expect
    .poll(() => priorities().sort())
    .toEqual([
      ["ada-0", -1],
      ["ada-1", -1],
      ["ada-2", 0],
    ]);
});

test("Once the service is closed, it no longer reads inboxes", async () => {
  const { world, inbox } = open();
  let isClosed = false;
  let lateReads = 0;
  let reads = 0;
  const counting: typeof inbox = {
    ...inbox,
    read: async (query) => {
      if (isClosed) lateReads += 1;
      return inbox.read(query);
    },
  };
  // The search reads the log before the inbox.
  const log: typeof world.log = {
    ...world.log,
    read: async (query) => {
      reads += 1;
      await sleep(50);
      return world.log.read(query);
    },
  };
  await inbox.put({ conversationId: "c", userId: "ada", key: "k", content: "{}" });
  const modelProvider = createScriptedModel<unknown>([]);
  const memory = { provider: world.provider, autoStore: true, inbox: runInbox(counting) };
  const config = { modelProvider, memory };
  const service = createTestService({ ...world, log }, modelProvider, { recoverMs: 1, config });
  await expect.poll(() => reads, { interval: 1 }).toBe(1);
  await service.close();
  isClosed = true;
  await sleep(200);
  expect(lateReads).toBe(0);
});
