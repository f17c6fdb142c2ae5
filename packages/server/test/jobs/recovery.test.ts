import { createFailure, type TurnLog, type VersionedMemoryProvider } from "@jaf/memory";
import { createMemoryNotFoundError } from "@jaf/memory/adapter";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { encodeRequest } from "../../src/jobs/stored-request.ts";
import {
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
  type World,
} from "../support/turn-fixtures.ts";

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A turn in the log that no process works on yet. */
async function abandonedTurn({ log, provider }: World) {
  const made = await provider.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
  if (!made.success) throw new Error(made.error.message);
  const read = await provider.readConversation("c", { messages: "none" });
  if (!read.success) throw new Error(read.error.message);
  const { incarnation, conversation } = read.data;
  const base = { position: 0, version: conversation?.metadata?.version ?? 0, incarnation };
  const begun = await log.begin({
    ...{ conversationId: "c", userId: "ada", turnId: "t", leaseSeconds: 1, keepSeconds: 600 },
    request: encodeRequest({ identity: { userId: "ada" }, agentName: "clerk", input: "Hi.", base }),
  });
  if (!begun.success || !begun.data.begun) throw new Error("no turn");
  await log.release(begun.data.writer);
  return { conversationId: "c", turnId: "t" };
}

const slowly = (provider: VersionedMemoryProvider, before: () => Promise<void>): VersionedMemoryProvider => ({
  ...provider,
  readConversation: async (...args) => {
    await before();
    return provider.readConversation(...args);
  },
});

const FAST = { leaseSeconds: 1, recoverMs: 50 } as const;

describe("A take-over", () => {
  test("renews the lease if it takes longer than that", async () => {
    // Fake time, so no lease expires on a busy machine.
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const world = createWorld();
    const turn = await abandonedTurn(world);
    let taken = 0;
    const log: TurnLog = {
      ...world.log,
      takeOver: async (name) => {
        const answer = await world.log.takeOver(name);
        if (answer.success && answer.data !== null) taken += 1;
        return answer;
      },
    };
    const slow = { log, provider: slowly(world.provider, () => wait(2_500)) };
    const model = createScriptedModel(["Hello."]);
    createTestService(slow, model, FAST);
    createTestService(slow, model, FAST);
    const reader = createTestService(world, createScriptedModel([]));
    const events = eventsOf(reader, turn);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await events).at(-1)?.event).toMatchObject({ status: "completed" });
    expect(taken).toBe(1);
    expect(await messagesOf(world, "c")).toHaveLength(2);
  });

  test("stores the turn's start first if no event is stored", async () => {
    const world = createWorld();
    const turn = await abandonedTurn(world);
    const service = createTestService(world, createScriptedModel(["Hello."]), FAST);
    const events = (await eventsOf(service, turn)).map(({ event }) => event);
    expect(events[0]).toEqual({
      ...{ type: "turn_start", turnId: "t", conversationId: "c", agentName: "clerk", position: 1 },
    });
    expect(events.map(({ type }) => type)).not.toContain("retract");
    expect(events.at(-1)).toMatchObject({ type: "turn_end", status: "completed" });
  });

  test("stores the turn's start if the turn was stopped before its first event", async () => {
    const world = createWorld();
    const turn = await abandonedTurn(world);
    await world.log.requestStop(turn);
    const service = createTestService(world, createScriptedModel([]), FAST);
    const events = (await eventsOf(service, turn)).map(({ event }) => event);
    expect(events).toMatchObject([{ type: "turn_start" }, { type: "turn_end", status: "stopped" }]);
  });

  test("stores the start and the end if it fails permanently", async () => {
    const world = createWorld();
    const turn = await abandonedTurn(world);
    const provider: VersionedMemoryProvider = {
      ...world.provider,
      readConversation: async (conversationId) => createFailure(createMemoryNotFoundError(conversationId)),
    };
    createTestService({ ...world, provider }, createScriptedModel([]), FAST);
    const reader = createTestService(world, createScriptedModel([]));
    const events = (await eventsOf(reader, turn)).map(({ event }) => event);
    expect(events).toMatchObject([{ type: "turn_start" }, { type: "turn_end", status: "error" }]);
  });

  test("starts no job and releases the lease if the service closes meanwhile", async () => {
    const world = createWorld();
    await abandonedTurn(world);
    let isReading = false;
    let go = () => {};
    const isFree = new Promise<void>((resolve) => {
      go = resolve;
    });
    const provider = slowly(world.provider, async () => {
      isReading = true;
      await isFree;
    });
    const model = createScriptedModel([]);
    const service = createTestService({ ...world, provider }, model, { leaseSeconds: 60, recoverMs: 50 });
    await expect.poll(() => isReading).toBe(true);
    const closed = service.close();
    go();
    await closed;
    await wait(100);
    expect(service.running()).toBe(0);
    const found = await world.log.abandoned(10);
    expect(found.success && found.data.map(({ turnId, events }) => [turnId, events])).toEqual([["t", 0]]);
    model.assertDone();
  });
});
