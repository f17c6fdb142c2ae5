import { createTool } from "@jaf/core";
import { createFailure } from "@jaf/memory";
import { createMemoryStorageError } from "@jaf/memory/adapter";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createTestQueue } from "../support/test-queue.ts";
import {
  ask,
  begin,
  clerk,
  createPausingModel,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
  type ServiceOptions,
} from "../support/turn-fixtures.ts";

/** A process that only takes requests: its model must not be called. */
function openWeb(world: ReturnType<typeof createWorld>, options: ServiceOptions) {
  return createTestService(world, createScriptedModel([]), { concurrency: 0, ...options });
}

function open(options: ServiceOptions = {}) {
  const world = createWorld();
  const { queue, ...test } = createTestQueue();
  const web = openWeb(world, { queue, ...options });
  return { world, queue, web, ...test };
}

const rolesOf = async (world: ReturnType<typeof createWorld>, id: string) =>
  (await messagesOf(world, id)).map(({ role }) => role);

describe("With a queue, a turn", () => {
  test("is stored with its message, and waits for a worker", async () => {
    const { world, web, waiting } = open();
    const { conversationId, turnId } = await begin(web, ask("Hi.", { priority: 7 }));
    await expect.poll(waiting).toEqual([
      {
        pointer: { conversationId, turnId },
        submission: { at: undefined, priority: 7, group: "ada" },
      },
    ]);
    expect(await rolesOf(world, conversationId)).toEqual(["user"]);
    expect(await world.log.read({ conversationId })).toMatchObject({
      data: { turn: { turnId, state: "running" } },
    });
    expect(web.running()).toBe(0);
  });

  test.each(["step", "turn", "completed"] as const)("ends in another process (%s)", async (durability) => {
    const memory = { provider: createWorld().provider, autoStore: true, durability };
    const world = createWorld();
    const { queue } = createTestQueue();
    const config = { memory: { ...memory, provider: world.provider } };
    const model = createScriptedModel(["Hello."]);
    const web = createTestService(world, createScriptedModel([]), {
      ...{ queue, concurrency: 0 },
      config: { ...config, modelProvider: createScriptedModel([]) },
    });
    const turn = await begin(web, ask("Hi."));
    createTestService(world, model, { queue, config: { ...config, modelProvider: model } });
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect(await rolesOf(world, turn.conversationId)).toEqual(["user", "assistant"]);
    const events = (await eventsOf(web, turn)).map(({ event }) => event.type);
    expect(events[0]).toBe("turn_start");
    expect(events.filter((type) => type === "turn_start" || type === "message")).toEqual([
      "turn_start",
      "message",
    ]);
    model.assertDone();
  });

  test("runs its approved tool once, in the worker", async () => {
    const world = createWorld();
    const { queue } = createTestQueue();
    const ran: string[] = [];
    const agentsOf = (place: string) => [
      {
        ...clerk,
        tools: [
          createTool({
            name: "wipe",
            description: "Wipes",
            parameters: z.object({}),
            needsApproval: true,
            execute: async () => {
              ran.push(place);
              return "wiped";
            },
          }),
        ],
      },
    ];
    const web = openWeb(world, { queue, agents: agentsOf("web") });
    const model = createScriptedModel([{ toolCalls: [{ name: "wipe" }, { name: "wipe" }] }, "Gone."]);
    createTestService(world, model, { queue, agents: agentsOf("worker") });
    const asked = await begin(web, ask("Wipe."));
    const interruptions = (await asked.ended).interruptions ?? [];
    const approvals = interruptions.flatMap((one) =>
      one.type === "approval"
        ? [{ toolCallId: one.toolCallId, approvalId: one.approvalId, approved: true as const }]
        : [],
    );
    const target = { conversationId: asked.conversationId };
    const turn = await begin(web, ask([], { target, approvals }));
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect(ran).toEqual(["worker", "worker"]);
    expect(await rolesOf(world, turn.conversationId)).toEqual([
      ...["user", "assistant", "tool", "tool", "assistant"],
    ]);
  });

  test("makes its edit once", async () => {
    const { world, queue, web } = open();
    createTestService(world, createScriptedModel(["Hello.", "Hello again."]), { queue });
    const first = await begin(web, ask("Hi."));
    const { version = 0 } = await first.ended;
    const target = { conversationId: first.conversationId };
    const second = await begin(web, ask("Hey.", { target, edit: { position: 0, version } }));
    expect(await second.ended).toMatchObject({ status: "completed" });
    const messages = await messagesOf(world, first.conversationId);
    expect(messages.map(({ content }) => content)).toEqual(["Hey.", "Hello again."]);
  });

  test("leaves nothing if its request is refused", async () => {
    const { world, web, submitted } = open();
    const target = { conversationId: "missing" };
    expect(await web.start(ask("Hi.", { target }))).toMatchObject({ refusal: { reason: "not-found" } });
    const approvals = [{ toolCallId: "forged", approvalId: "forged", approved: true as const }];
    const { conversationId } = await begin(web, ask("Hi."));
    expect(await web.start(ask("Hi.", { target: { conversationId } }))).toMatchObject({
      refusal: { reason: "running" },
    });
    await expect.poll(() => submitted.length).toBe(1);
    const other = await web.start(ask([], { approvals }));
    expect(other.started).toBe(false);
    expect(submitted).toHaveLength(1);
    expect(await world.log.find({ userId: "ada", state: "running" })).toMatchObject({
      data: [{ conversationId }],
    });
  });

  test("ends at once if it is stopped before a worker begins", async () => {
    const { world, web, waiting } = open();
    const turn = await begin(web, ask("Hi."));
    await expect.poll(() => waiting().length).toBe(1);
    expect(await web.stop(turn)).toBe(true);
    expect(await turn.ended).toMatchObject({ status: "stopped" });
    await expect.poll(waiting).toEqual([]);
    expect(await rolesOf(world, turn.conversationId)).toEqual(["user"]);
  });

  test("goes on in another worker if its worker closes", async () => {
    const { world, queue, web } = open();
    const pausing = createPausingModel(["Hel"]);
    const first = createTestService(world, pausing.model, { queue });
    const turn = await begin(web, ask("Hi."));
    await expect.poll(pausing.calls).toBe(1);
    await first.close();
    createTestService(world, createScriptedModel(["Hello."]), { queue });
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect((await messagesOf(world, turn.conversationId)).map(({ content }) => content)).toEqual([
      ...["Hi.", "Hello."],
    ]);
  });

  test("is submitted again if the queue loses it or fails", async () => {
    const errors: unknown[] = [];
    const { world, queue, web, lose, waiting, setDown } = open({ onError: (error) => errors.push(error) });
    const lost = await begin(web, ask("Hi."));
    await expect.poll(() => waiting().length).toBe(1);
    lose();
    setDown(true);
    const unsent = await begin(web, ask("Hi."));
    await expect.poll(() => errors.length).toBe(1);
    expect(errors[0]).toMatchObject({ _tag: "MemoryStorageError", operation: "submit" });
    setDown(false);
    const reply = () => "Hello.";
    createTestService(world, createScriptedModel(reply), { queue, recoverMs: 20 });
    expect(await lost.ended).toMatchObject({ status: "completed" });
    expect(await unsent.ended).toMatchObject({ status: "completed" });
  });

  test("is not delivered again once it is over or erased", async () => {
    const { world, queue, web, waiting } = open();
    const worker = createTestService(world, createScriptedModel(["Hello."]), { queue });
    const { signal } = new AbortController();
    const turn = await begin(web, ask("Hi."));
    await turn.ended;
    await worker.continueTurn(turn, signal);
    const { conversationId } = turn;
    await world.log.deleteConversation(conversationId);
    await worker.continueTurn(turn, signal);
    await worker.continueTurn({ conversationId: "never", turnId: "was" }, signal);
    expect(waiting()).toEqual([]);
  });

  test("ends as erased if a provider deletes its conversation before a worker begins", async () => {
    const { world, queue, web, waiting } = open();
    const turn = await begin(web, ask("Hi."));
    await expect.poll(() => waiting().length).toBe(1);
    await world.provider.deleteConversation(turn.conversationId);
    createTestService(world, createScriptedModel([]), { queue });
    expect(await turn.ended).toMatchObject({
      status: "error",
      error: { message: "The conversation was erased.", retryable: false },
    });
    expect(waiting()).toEqual([]);
    expect(await messagesOf(world, turn.conversationId)).toEqual([]);
  });

  test("leaves the queue when it is delivered, if the log was erased with its conversation", async () => {
    const { world, queue, web, waiting, submitted } = open();
    const turn = await begin(web, ask("Hi."));
    await expect.poll(() => waiting().length).toBe(1);
    await world.log.deleteConversation(turn.conversationId);
    await world.provider.deleteConversation(turn.conversationId);
    expect(waiting()).toHaveLength(1);
    createTestService(world, createScriptedModel([]), { queue, recoverMs: 20 });
    await expect.poll(waiting).toEqual([]);
    expect(submitted).toHaveLength(1);
  });
});

test("continueTurn rejects while another process has the turn, and hands it over if its signal is aborted", async () => {
  const { world, queue, web } = open();
  const pausing = createPausingModel(["Hel"]);
  const worker = createTestService(world, pausing.model, { queue, concurrency: 0 });
  const turn = await begin(web, ask("Hi."));
  await expect.poll(() => web.running()).toBe(0);
  const controller = new AbortController();
  const first = worker.continueTurn(turn, controller.signal);
  await expect.poll(pausing.calls).toBe(1);
  const { signal } = new AbortController();
  const name = "TurnNotContinuedError";
  await expect(web.continueTurn(turn, signal)).rejects.toMatchObject({ name });
  controller.abort();
  await expect(first).rejects.toMatchObject({ name });
  const other = createTestService(world, createScriptedModel(["Hello."]), { queue, concurrency: 0 });
  await other.continueTurn(turn, signal);
  expect(await turn.ended).toMatchObject({ status: "completed" });
});

test.each([
  [{ queue: {} }, "queue: expected a TurnQueue"],
  [{ concurrency: -1 }, "concurrency"],
] as const)("A service with %o throws", (options, message) => {
  const model = createScriptedModel([]);
  expect(() => createTestService(createWorld(), model, options as unknown as ServiceOptions)).toThrow(
    message,
  );
});

test("A store that fails for a while doesn't end the turns that the queue delivers again and again", async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { world, queue, web } = open();
  const turn = await begin(web, ask("Hi."));
  let isDown = true;
  const provider: typeof world.provider = {
    ...world.provider,
    readConversation: async (...args) =>
      isDown
        ? createFailure(createMemoryStorageError("readConversation", "down", { retryable: true }))
        : world.provider.readConversation(...args),
  };
  createTestService({ ...world, provider }, createScriptedModel(["Hello."]), { queue });
  // The test's queue delivers a rejected pointer again after 20 ms, so some thousand times.
  await vi.advanceTimersByTimeAsync(20_000);
  isDown = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await turn.ended).toMatchObject({ status: "completed" });
});

test("A turn that waits for longer than keepSeconds is kept", async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const world = createWorld();
  const { queue, lose } = createTestQueue();
  const web = createTestService(world, createScriptedModel([]), {
    ...{ queue, concurrency: 0, recoverMs: 3_000, pollMs: 1_000, keepSeconds: 600 },
  });
  const turn = await begin(web, ask("Hi."));
  await vi.advanceTimersByTimeAsync(1_800_000);
  lose();
  createTestService(world, createScriptedModel(["Hello."]), { queue, recoverMs: 3_000 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await turn.ended).toMatchObject({ status: "completed" });
});

test.each([1.5, Number.NaN, 1_001])("A turn with priority %s is refused", async (priority) => {
  const { web } = open();
  expect(await web.start(ask("Hi.", { priority }))).toMatchObject({ refusal: { reason: "invalid" } });
});
