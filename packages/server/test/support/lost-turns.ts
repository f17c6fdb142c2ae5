import { createTool, runInbox } from "@jaf/core";
import {
  createFailure,
  createInMemoryInbox,
  createMemoryConnectionError,
  type MemoryErrorUnion,
} from "@jaf/memory";
import { createMemoryStorageError } from "@jaf/memory/adapter";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import type { TurnIds } from "../../src/turns/turn-service.ts";
import { killUntilEnd, type MortalProcess } from "./mortal-processes.ts";
import { createTestQueue } from "./test-queue.ts";
import { clerk, createScriptedModel, createTestService, eventsOf, messagesOf } from "./turn-fixtures.ts";
import type { OpenWorld, World } from "./worlds.ts";

const DOWN = createMemoryConnectionError("test");
const UNREADABLE = createMemoryStorageError("readConversation", "a broken message", { retryable: false });

/** How many attempts a process makes for a turn that it can't load. */
const ATTEMPTS = 8;
const MORE_ATTEMPTS = 12;

const LOST = { type: "turn_end", status: "error", error: { code: "Lost" } };

/** Begins a turn as a process that dies at once: the conversation has nothing of it. */
async function beginAndDie({ log, provider }: World, more: { readonly input?: [] } = {}): Promise<TurnIds> {
  await provider.appendMessages("conv", [], { userId: "ada" }, { createIfMissing: true });
  const read = await provider.readConversation("conv", { messages: "none" });
  if (!read.success) throw new Error(read.error.message);
  const { firstPosition, incarnation, conversation } = read.data;
  const base = { position: firstPosition, version: conversation?.metadata?.version ?? 0, incarnation };
  const request = { identity: { userId: "ada" }, agentName: "clerk", input: "Hi.", base, ...more };
  const turn = { conversationId: "conv", turnId: "turn" };
  const begun = await log.begin({
    ...{ ...turn, userId: "ada", leaseSeconds: 5, keepSeconds: 600 },
    request: JSON.stringify(request),
  });
  if (!begun.success || !begun.data.begun) throw new Error("the turn didn't begin");
  await log.release(begun.data.writer);
  return turn;
}

type Call = "read messages" | "read metadata" | "write";

/** Returns stores in which calls of the conversation fail with `error` while `isFailing` returns `true`. */
const failing = (
  { log, provider }: World,
  error: MemoryErrorUnion,
  isFailing: (call: Call) => boolean,
): World => ({
  log,
  provider: {
    ...provider,
    readConversation: async (...query) =>
      isFailing(query[1]?.messages === "none" ? "read metadata" : "read messages")
        ? createFailure(error)
        : provider.readConversation(...query),
    appendMessages: async (...write) =>
      isFailing("write") ? createFailure(error) : provider.appendMessages(...write),
  },
});

/** Skips the pauses after a number of attempts of a process: each of them moves its clock by a minute. */
function skipPauses(pauses: number) {
  let skippedMs = 0;
  let attempts = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + skippedMs);
  onTestFinished(() => clock.mockRestore());
  return {
    onError: () => {
      attempts += 1;
      // The job that ends the turn would take a later skip for a lease that has expired.
      if (attempts > pauses) return;
      // The process notes the attempt after it has reported it.
      setImmediate(() => {
        skippedMs += 60_000;
      });
    },
    attempts: () => attempts,
  };
}

const texts = async (world: World) =>
  (await messagesOf(world, "conv")).map(({ role, content }) => `${role}: ${String(content)}`);

const endOf = async (world: World, turn: TurnIds) =>
  (await eventsOf(createTestService(world, createScriptedModel([])), turn)).at(-1)?.event;

async function toolStarts({ log }: World, turn: TurnIds): Promise<number> {
  const read = await log.read({ ...turn, limit: 1_000 });
  return read.success ? (read.data?.events ?? []).filter((text) => text.includes("tool_start")).length : 0;
}

const boom = (execute: () => Promise<string>) => [
  {
    ...clerk,
    tools: [createTool({ name: "boom", description: "Booms", parameters: z.object({}), execute })],
  },
];

/** Tests turns that a process can't load, and turns that kill each process. */
export function itLosesNoMessage(openWorld: OpenWorld): void {
  describe.each(["step", "turn", "completed"] as const)("with durability %s", (durability) => {
    describe.each([
      ["without a queue", () => ({})],
      ["with a queue", () => ({ queue: createTestQueue().queue })],
    ])("%s", (_, sharing) => {
      it("is answered after an outage of the conversations' store, however long", async () => {
        const world = await openWorld();
        const turn = await beginAndDie(world);
        const { onError, attempts } = skipPauses(MORE_ATTEMPTS);
        const down = failing(world, DOWN, () => attempts() < MORE_ATTEMPTS);
        const model = createScriptedModel(["Hello."]);
        const memory = { provider: down.provider, autoStore: true, durability };
        createTestService(down, model, {
          ...{ recoverMs: 20, onError, config: { modelProvider: model, memory }, ...sharing() },
        });
        expect(await endOf(world, turn)).toMatchObject({ status: "completed" });
        expect(attempts()).toBe(MORE_ATTEMPTS);
        expect(await texts(world)).toEqual(["user: Hi.", "assistant: Hello."]);
      });

      it("stays in a conversation whose messages can't be read", async () => {
        const world = await openWorld();
        const turn = await beginAndDie(world);
        const { onError } = skipPauses(ATTEMPTS - 1);
        const broken = failing(world, UNREADABLE, (call) => call === "read messages");
        const memory = { provider: broken.provider, autoStore: true, durability };
        createTestService(broken, createScriptedModel([]), {
          ...{ recoverMs: 20, onError, config: { memory }, ...sharing() },
        });
        expect(await endOf(world, turn)).toMatchObject(LOST);
        expect(await texts(world)).toEqual(["user: Hi."]);
      });
    });

    it("waits in the inbox if the turn that it began can't be loaded, and begins the next", async () => {
      const world = await openWorld();
      const turn = await beginAndDie(world, { input: [] });
      const { onError } = skipPauses(ATTEMPTS - 1);
      const store = createInMemoryInbox();
      const broken = failing(world, UNREADABLE, (call) => call === "read messages");
      const serve = (of: World, replies: string[]) => {
        const modelProvider = createScriptedModel(replies);
        const memory = { provider: of.provider, autoStore: true, durability, inbox: runInbox(store) };
        return createTestService(of, modelProvider, {
          recoverMs: 20,
          onError,
          config: { modelProvider, memory },
        });
      };
      const message = { message: "Hi.", key: "k", conversationId: "conv", agentName: "clerk" };
      const failed = serve(broken, []);
      await failed.send?.({ identity: { userId: "ada" }, ...message });
      expect(await endOf(world, turn)).toMatchObject(LOST);
      expect(await store.waiting()).toMatchObject({ data: [{ conversationId: "conv" }] });
      await failed.close();
      serve(world, ["Hello."]);
      await expect.poll(() => texts(world)).toEqual(["user: Hi.", "assistant: Hello."]);
    });

    it("stays once in the conversation if its turn kills each process before its first event", async () => {
      const world = await openWorld();
      const turn = await beginAndDie(world);
      const open = ({ die }: MortalProcess) => ({ model: createScriptedModel([]), context: die });
      expect(await killUntilEnd(world, turn, { durability, open })).toBe(5);
      expect(await endOf(world, turn)).toMatchObject(LOST);
      expect(await texts(world)).toEqual(["user: Hi."]);
    });

    it("stays once in the conversation if its turn's tool kills each process", async () => {
      const world = await openWorld();
      const turn = await beginAndDie(world);
      let deaths = 0;
      const open = ({ die }: MortalProcess) => ({
        model: createScriptedModel([{ toolCalls: [{ name: "boom" }] }]),
        agents: boom(async () => {
          // With each reply that readers were told, the turn seems to have come on.
          await expect.poll(() => toolStarts(world, turn)).toBeGreaterThan(deaths);
          deaths += 1;
          return die();
        }),
        leaseSeconds: 1,
      });
      expect(await killUntilEnd(world, turn, { durability, open })).toBe(5);
      expect(await endOf(world, turn)).toMatchObject(LOST);
      const roles = (await messagesOf(world, "conv")).map(({ role }) => role);
      expect(roles).toEqual(durability === "step" ? ["user", "assistant"] : ["user"]);
    });
  });
}
