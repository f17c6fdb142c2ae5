import type { ModelProvider } from "@jaf/core";
import { createFailure, createMemoryConnectionError, type VersionedMemoryProvider } from "@jaf/memory";
import { describe, expect, test } from "vitest";
import type { TurnService } from "../../src/turns/turn-service.ts";
import {
  ask,
  begin,
  createPausingModel,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
  type ServiceOptions,
  type World,
} from "../support/turn-fixtures.ts";

const unreachable = async () => createFailure(createMemoryConnectionError("test"));
const FAST = { leaseSeconds: 1, recoverMs: 50 } as const;

const withProvider = (world: World, change: Partial<VersionedMemoryProvider>): World => ({
  ...world,
  provider: { ...world.provider, ...change },
});

/** Begins a turn in the log, as a process that dies before it has stored the message. */
async function beginAndDie(world: World, conversationId: string, turnId: string) {
  const read = await world.provider.readConversation(conversationId, { messages: "none" });
  if (!read.success) throw new Error(read.error.message);
  const { firstPosition, incarnation, conversation } = read.data;
  const base = { position: firstPosition, version: conversation?.metadata?.version ?? 0, incarnation };
  const request = { identity: { userId: "ada" }, agentName: "clerk", input: "Hi.", base };
  const turn = { conversationId, userId: "ada", turnId, request: JSON.stringify(request) };
  const begun = await world.log.begin({ ...turn, leaseSeconds: 1, keepSeconds: 60 });
  if (!begun.success || !begun.data.begun) throw new Error("the turn didn't begin");
  return { turn: { conversationId, turnId }, writer: begun.data.writer };
}

async function createConversation({ provider }: World): Promise<string> {
  await provider.appendMessages("conv", [], { userId: "ada" }, { createIfMissing: true });
  return "conv";
}

const texts = async (world: World, id: string) =>
  (await messagesOf(world, id)).map(({ role, content }) => `${role}: ${String(content)}`);

describe("A message that the server has accepted", () => {
  test("is answered if the store fails once while its turn is taken over", async () => {
    const world = createWorld();
    const { turn, writer } = await beginAndDie(world, await createConversation(world), "turn");
    let reads = 0;
    const failing = withProvider(world, {
      readConversation: (...query) => {
        reads += 1;
        // The first read is the take-over's, the second the run's.
        return reads === 2 ? unreachable() : world.provider.readConversation(...query);
      },
    });
    const service = createTestService(failing, createScriptedModel(["Hello."]), FAST);
    await world.log.release(writer);
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "completed" });
    expect(await texts(world, "conv")).toEqual(["user: Hi.", "assistant: Hello."]);
  });

  test("is answered if the first writes of its turn fail", async () => {
    const world = createWorld();
    await createConversation(world);
    let writes = 0;
    const failing = withProvider(world, {
      appendMessages: (...write) => {
        writes += 1;
        return writes <= 5 ? unreachable() : world.provider.appendMessages(...write);
      },
    });
    const service = createTestService(failing, createScriptedModel(["Hello."]), FAST);
    const turn = await begin(service, ask("Hi.", { target: { conversationId: "conv" } }));
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect(await texts(world, "conv")).toEqual(["user: Hi.", "assistant: Hello."]);
  });

  test("stays in the conversation, and calls the model once, if the writes after its reply fail", async () => {
    const world = createWorld();
    await createConversation(world);
    const model = createScriptedModel(["Hello.", "Hello again."]);
    let writes = 0;
    const failing = withProvider(world, {
      appendMessages: (...write) => {
        writes += 1;
        return writes <= 3 ? unreachable() : world.provider.appendMessages(...write);
      },
    });
    const memory = { provider: failing.provider, autoStore: true, durability: "completed" } as const;
    const service = createTestService(failing, model, { ...FAST, config: { modelProvider: model, memory } });
    const turn = await begin(service, ask("Hi.", { target: { conversationId: "conv" } }));
    expect(await turn.ended).toMatchObject({ status: "error", error: { code: "MemoryError" } });
    expect(await texts(world, "conv")).toEqual(["user: Hi."]);
  });

  test.each([
    { what: "two writes throw", writes: 2, reads: 0, stored: ["user: Hi."] },
    { what: "a write and all reads throw", writes: 1, reads: 99, stored: ["user: Hi."] },
    { what: "all writes and reads throw", writes: 99, reads: 99, stored: [] },
  ])("is sent to the model once if $what after its reply", async ({ writes, reads, stored }) => {
    const world = createWorld();
    await createConversation(world);
    const model = createScriptedModel(["Hello.", "Hello again."]);
    let written = 0;
    let read = 0;
    const throwing = withProvider(world, {
      appendMessages: async (...write) => {
        written += 1;
        if (written <= writes) throw new Error("a bug");
        return world.provider.appendMessages(...write);
      },
      readConversation: async (...query) => {
        // With this durability, the first write stores the reply.
        if (written > 0) read += 1;
        if (written > 0 && read <= reads) throw new Error("a bug");
        return world.provider.readConversation(...query);
      },
    });
    const memory = { provider: throwing.provider, autoStore: true, durability: "completed" } as const;
    const service = createTestService(throwing, model, { ...FAST, config: { modelProvider: model, memory } });
    const turn = await begin(service, ask("Hi.", { target: { conversationId: "conv" } }));
    expect(await turn.ended).toMatchObject({ status: "error", error: { code: "MemoryError" } });
    expect(await texts(world, "conv")).toEqual(stored);
  });

  test("stays in the conversation if a late write has changed it before the take-over", async () => {
    const world = createWorld();
    await createConversation(world);
    const first = createTestService(world, createScriptedModel(["One."]));
    await (await begin(first, ask("First.", { target: { conversationId: "conv" } }))).ended;
    const { turn, writer } = await beginAndDie(world, "conv", "turn");
    const late = { userId: "ada", traceId: "an-earlier-turn" };
    await world.provider.appendMessages("conv", [{ role: "assistant", content: "Late." }], late);
    const service = createTestService(world, createScriptedModel([]), FAST);
    await world.log.release(writer);
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "error" });
    expect((await texts(world, "conv")).slice(2)).toEqual(["assistant: Late.", "user: Hi."]);
  });

  test("stays in the conversation if late writes come just before each first write of its turn", async () => {
    const world = createWorld();
    await createConversation(world);
    let lateWrites = 0;
    const racing = withProvider(world, {
      appendMessages: async (...write) => {
        // A run loads the conversation three times.
        if (lateWrites < 3) {
          lateWrites += 1;
          const late = { userId: "ada", traceId: "an-earlier-turn" };
          await world.provider.appendMessages("conv", [{ role: "assistant", content: "Late." }], late);
        }
        return world.provider.appendMessages(...write);
      },
    });
    const service = createTestService(racing, createScriptedModel([]), FAST);
    const turn = await begin(service, ask("Hi.", { target: { conversationId: "conv" } }));
    expect(await turn.ended).toMatchObject({ error: { code: "MemoryError" } });
    const late = Array.from({ length: 3 }, () => "assistant: Late.");
    expect(await texts(world, "conv")).toEqual([...late, "user: Hi."]);
  });

  test("stays in the conversation if each process dies before it has stored the message", async () => {
    const world = createWorld();
    const { turn, writer } = await beginAndDie(world, await createConversation(world), "turn");
    const start = {
      type: "turn_start",
      turnId: "turn",
      conversationId: "conv",
      position: 1,
      agentName: "clerk",
    };
    const retract = { type: "retract", reason: "taken-over" };
    const events = [start, retract, retract, retract].map((event) => JSON.stringify(event));
    await world.log.append({ writer, first: 0, events });
    const service = createTestService(world, createScriptedModel([]), FAST);
    await world.log.release(writer);
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ error: { code: "Lost" } });
    expect(await texts(world, "conv")).toEqual(["user: Hi."]);
  });

  test("is answered however often its turn is handed over", async () => {
    const world = createWorld();
    let service = createTestService(world, createPausingModel(["A"]).model, FAST);
    const turn = await begin(service, ask("Hi."));
    for (let deployment = 1; deployment <= 5; deployment++) {
      await expect.poll(() => service.running()).toBe(1);
      await expect
        .poll(async () => {
          const page = await world.log.read({ conversationId: turn.conversationId, turnId: turn.turnId });
          const told = page.success ? (page.data?.events ?? []) : [];
          return told.filter((text) => text.includes('"type":"text"')).length;
        })
        .toBe(deployment);
      const next = createTestService(world, createPausingModel(["A"]).model, FAST);
      expect(await service.drain({ timeoutMs: 10 })).toEqual({ handedOver: 1 });
      service = next;
    }
    await expect.poll(() => service.running()).toBe(1);
    const last = createTestService(world, createScriptedModel(["Hello."]), FAST);
    await service.drain({ timeoutMs: 10 });
    expect((await eventsOf(last, turn)).at(-1)?.event).toMatchObject({ status: "completed" });
    expect(await texts(world, turn.conversationId)).toEqual(["user: Hi.", "assistant: Hello."]);
  });
});

describe.each(["step", "turn", "completed"] as const)(
  "With durability %s, an accepted message",
  (durability) => {
    const serve = (
      world: World,
      model: ModelProvider<unknown>,
      { config, ...options }: ServiceOptions = {},
    ): TurnService => {
      const memory = { provider: world.provider, autoStore: true, durability };
      return createTestService(world, model, {
        ...FAST,
        ...options,
        config: { modelProvider: model, memory, ...config },
      });
    };
    const failing: ModelProvider<unknown> = {
      getCompletion: () => Promise.reject(new Error("down")),
      getCompletionStream: () => {
        throw new Error("down");
      },
    };

    test("stays in the conversation if the model fails", async () => {
      const world = createWorld();
      const turn = await begin(serve(world, failing), ask("Hi."));
      expect(await turn.ended).toMatchObject({ error: { code: "ModelCallError" } });
      expect(await texts(world, turn.conversationId)).toEqual(["user: Hi."]);
    });

    test("isn't stored if an input guardrail blocks it", async () => {
      const world = createWorld();
      const initialInputGuardrails = [() => ({ isValid: false, errorMessage: "too rude" }) as const];
      const memory = { provider: world.provider, autoStore: true, durability };
      const config = { memory, initialInputGuardrails };
      const turn = await begin(serve(world, createScriptedModel([]), { config }), ask("Hi."));
      expect(await turn.ended).toMatchObject({ error: { code: "InputGuardrailTripwire" } });
      expect(await texts(world, turn.conversationId)).toEqual([]);
    });

    test("stays in the conversation if its turn is stopped after it was taken over", async () => {
      const world = createWorld();
      const { turn, writer } = await beginAndDie(world, await createConversation(world), "turn");
      const service = serve(world, createPausingModel(["Hel"]).model);
      await world.log.release(writer);
      await expect
        .poll(async () => {
          const page = await world.log.read({ ...turn, limit: 100 });
          return page.success && page.data?.events.some((text) => text.includes('"type":"text"'));
        })
        .toBe(true);
      expect(await service.stop(turn)).toBe(true);
      expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "stopped" });
      expect(await texts(world, "conv")).toEqual(["user: Hi.", "assistant: Hel"]);
    });

    // With "completed", these writes come after the model call, which isn't made twice.
    if (durability !== "completed")
      test("is answered if its first writes fail after a take-over", async () => {
        const world = createWorld();
        let writes = 0;
        const refusing = withProvider(world, {
          appendMessages: (...write) => {
            if (write[1].length > 0) writes += 1;
            return write[1].length > 0 && writes <= 5
              ? unreachable()
              : world.provider.appendMessages(...write);
          },
        });
        const { turn, writer } = await beginAndDie(world, await createConversation(world), "turn");
        const service = serve(refusing, createScriptedModel(["Hello."]));
        await world.log.release(writer);
        expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "completed" });
        expect(await texts(world, "conv")).toEqual(["user: Hi.", "assistant: Hello."]);
      });

    test("stays in the conversation if its turn was taken over and the application's context fails", async () => {
      const world = createWorld();
      const { turn, writer } = await beginAndDie(world, await createConversation(world), "turn");
      const context = () => Promise.reject(new Error("no database"));
      const service = serve(world, createScriptedModel([]), { context, onError: () => {} });
      await world.log.release(writer);
      expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({
        error: { code: "InternalError" },
      });
      expect(await texts(world, "conv")).toEqual(["user: Hi."]);
    });
  },
);

test("A turn whose run finds the conversation's lease taken continues when the lease is free", async () => {
  const world = createWorld();
  await createConversation(world);
  let isTaken = false;
  const racing: World = {
    ...world,
    log: {
      ...world.log,
      // Another run takes the lease after this run has loaded the conversation.
      begin: async (turn) => {
        const begun = await world.log.begin(turn);
        if (isTaken) return begun;
        isTaken = true;
        const lease = { id: "another", sign: 1, until: Date.now() + 300, leaseMs: 300 };
        const jaf = { runId: "another", agentName: "clerk", lease };
        await world.provider.appendMessages("conv", [], { userId: "ada", traceId: "another", jaf });
        return begun;
      },
    },
  };
  await world.provider.appendMessages("conv", [{ role: "user", content: "Hi." }], { userId: "ada" });
  const service = createTestService(racing, createScriptedModel(["Hello."]), FAST);
  const turn = await begin(service, ask([], { target: { conversationId: "conv" } }));
  expect(await turn.ended).toMatchObject({ status: "completed" });
  expect(await texts(world, "conv")).toEqual(["user: Hi.", "assistant: Hello."]);
});
