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
  return { world, inbox, openService, sendAll, running, end, left };
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
