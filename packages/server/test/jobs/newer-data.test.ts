import type { WriteMetadata } from "@jaf/memory";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { encodeRequest, type StoredRequest } from "../../src/jobs/stored-request.ts";
import {
  clerk,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
  metadataOf,
  type World,
} from "../support/turn-fixtures.ts";

interface LeftBehind {
  /** Fields that a newer release has added to the stored request, or changed in it. */
  readonly request?: Partial<StoredRequest> & { readonly format?: number };
  readonly metadata?: WriteMetadata;
}

/** Begins a turn whose process is gone. */
async function leftBehind({ log, provider }: World, { request, metadata = {} }: LeftBehind) {
  const created = await provider.appendMessages(
    "c",
    [],
    { userId: "ada", ...metadata },
    { createIfMissing: true },
  );
  if (!created.success) throw new Error(created.error.message);
  const read = await provider.readConversation("c", { messages: "none" });
  if (!read.success) throw new Error(read.error.message);
  const { incarnation, conversation } = read.data;
  const base = { position: 0, version: conversation?.metadata?.version ?? 0, incarnation };
  const stored = { identity: { userId: "ada" }, agentName: "clerk", input: "Hi.", base, ...request };
  const begun = await log.begin({
    ...{ conversationId: "c", userId: "ada", turnId: "t", leaseSeconds: 5, keepSeconds: 600 },
    request: encodeRequest(stored),
  });
  if (!begun.success || !begun.data.begun) throw new Error("no turn");
  await log.release(begun.data.writer);
  return { conversationId: "c", turnId: "t" };
}

/** Counts the take-overs of a world's turns. */
function counted(world: World) {
  let attempts = 0;
  const takeOver: World["log"]["takeOver"] = (turn) => {
    attempts += 1;
    return world.log.takeOver(turn);
  };
  return { world: { ...world, log: { ...world.log, takeOver } }, attempts: () => attempts };
}

const expert = { ...clerk, name: "expert" };

const CASES: readonly (readonly [title: string, left: LeftBehind, message: string])[] = [
  ["whose request has a newer format", { request: { format: 2 } }, "upgrade this process"],
  ["of an agent that it doesn't have", { request: { agentName: "expert" } }, `needs the agent "expert"`],
  ["whose conversation has a newer format", { metadata: { jaf: { format: 2 } } }, "upgrade this process"],
];

describe("A process of an older release", () => {
  test.each(CASES)("leaves a turn %s to a newer process", async (_, left, message) => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const world = createWorld();
    const turn = await leftBehind(world, left);
    const before = await metadataOf(world, "c");
    const errors: unknown[] = [];
    const watched = counted(world);
    const options = { recoverMs: 5, onError: (error: unknown) => errors.push(error) };
    const older = createTestService(watched.world, createScriptedModel([]), options);
    // It looks every 5 ms, and pauses for 1, 2 and 4 seconds after the attempts.
    await vi.advanceTimersByTimeAsync(5_000);
    expect(watched.attempts()).toBe(3);
    expect(errors).toEqual([
      expect.objectContaining({
        ...{ _tag: "MemoryStorageError", retryable: false, message: expect.stringContaining(message) },
      }),
    ]);
    expect(older.running()).toBe(0);
    expect(await metadataOf(world, "c")).toEqual(before);
    const read = await world.log.read(turn);
    expect(read.success && read.data?.turn).toMatchObject({ state: "running", events: 0 });
  });

  test("leaves a turn after a handoff to an agent that it doesn't have", async () => {
    const world = createWorld();
    const turn = await leftBehind(world, {});
    const taken = await world.log.takeOver(turn);
    if (!taken.success || taken.data === null) throw new Error("not taken over");
    const { writer } = taken.data;
    const events = [
      { type: "turn_start", turnId: "t", conversationId: "c", position: 1, agentName: "clerk" },
      { type: "handoff", from: "clerk", to: "expert" },
    ].map((event) => JSON.stringify(event));
    await world.log.append({ writer, first: 0, events });
    await world.log.release(writer);
    const watched = counted(world);
    createTestService(watched.world, createScriptedModel([]), { recoverMs: 5 });
    await expect.poll(watched.attempts).toBeGreaterThan(1);
    createTestService(world, createScriptedModel(["Hello."]), {
      ...{ recoverMs: 5, config: { agentRegistry: new Map([["expert", expert]]) } },
    });
    expect(
      (await eventsOf(createTestService(world, createScriptedModel([])), turn)).at(-1)?.event,
    ).toMatchObject({
      status: "completed",
    });
  });

  test("doesn't count as a take-over of a turn that it leaves", async () => {
    const world = createWorld();
    const turn = await leftBehind(world, { request: { agentName: "expert" } });
    const watched = counted(world);
    createTestService(watched.world, createScriptedModel([]), { recoverMs: 5 });
    await expect.poll(watched.attempts).toBeGreaterThan(1);
    const newer = createTestService(world, createScriptedModel(["Hello."]), {
      ...{ agents: [clerk, expert], recoverMs: 5 },
    });
    const events = await eventsOf(newer, turn);
    expect(events.map(({ event }) => event.type)).not.toContain("retract");
    expect(events.at(-1)?.event).toMatchObject({ type: "turn_end", status: "completed" });
    expect(await messagesOf(world, "c")).toHaveLength(2);
  });

  test.each(CASES)("stops a turn %s on request", async (_, left) => {
    const world = createWorld();
    const turn = await leftBehind(world, left);
    const before = await metadataOf(world, "c");
    await world.log.requestStop(turn);
    const older = createTestService(world, createScriptedModel([]), { recoverMs: 5 });
    const events = await eventsOf(older, turn);
    expect(events.map(({ event }) => event)).toMatchObject([
      { type: "turn_start" },
      { type: "turn_end", status: "stopped" },
    ]);
    if ("request" in left && "agentName" in left.request) {
      // It can read the request, so the user's message isn't lost.
      expect(await messagesOf(world, "c")).toMatchObject([{ role: "user", content: "Hi." }]);
      return;
    }
    expect(await metadataOf(world, "c")).toEqual(before);
    expect(await messagesOf(world, "c")).toEqual([]);
  });

  test.each(CASES)("ends a turn %s as lost once it is older than keepSeconds", async (_, left) => {
    const world = createWorld();
    const turn = await leftBehind(world, left);
    const older = createTestService(world, createScriptedModel([]), { recoverMs: 5, keepSeconds: 1 });
    const events = await eventsOf(older, turn);
    expect(events.at(-1)?.event).toMatchObject({
      type: "turn_end",
      status: "error",
      error: { code: "Lost" },
    });
  });

  test("still ends a turn whose request is invalid", async () => {
    const world = createWorld();
    const turn = await leftBehind(world, { request: { input: 7 as never } });
    const events = await eventsOf(createTestService(world, createScriptedModel([]), { recoverMs: 5 }), turn);
    expect(events.at(-1)?.event).toMatchObject({ status: "error", error: { code: "Lost" } });
  });
});
