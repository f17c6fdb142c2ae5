import { createFailure, createMemoryConnectionError, type TurnLog } from "@jaf/memory";
import { describe, expect, test } from "vitest";
import {
  ask,
  begin,
  createPausingModel,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
} from "../support/turn-fixtures.ts";

const unreachable = async () => createFailure(createMemoryConnectionError("test"));

/** A log that works, but its answers to `begin` are lost. */
const losingBegins = (log: TurnLog, then: (nth: number) => Promise<void> = async () => {}) => {
  let begins = 0;
  return {
    ...log,
    begin: async (turn: Parameters<TurnLog["begin"]>[0]) => {
      begins += 1;
      await log.begin(turn);
      await then(begins);
      return unreachable();
    },
  } satisfies TurnLog;
};

describe("A turn in the log with a lost answer to its begin", () => {
  test("isn't refused while its state is unknown, and runs once under the returned id", async () => {
    const world = createWorld();
    let isCut = false;
    const log: TurnLog = {
      ...losingBegins(world.log, async () => {
        isCut = true;
      }),
      read: async (query) => (isCut ? unreachable() : world.log.read(query)),
    };
    const model = createScriptedModel(["Hello."]);
    // A retry can no longer read the base.
    const provider = {
      ...world.provider,
      readConversation: async (...args: Parameters<typeof world.provider.readConversation>) =>
        isCut ? unreachable() : world.provider.readConversation(...args),
    };
    const service = createTestService({ log, provider }, model, { leaseSeconds: 1 });
    const turn = await begin(service, ask("Hi.", { target: { newId: "c" } }));
    isCut = false;
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "completed" });
    expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual(["Hi.", "Hello."]);
  }, 30_000);

  test("isn't refused if it is an edit", async () => {
    const world = createWorld();
    const model = createScriptedModel(["One.", "Two."]);
    await (await begin(createTestService(world, model), ask("Who?", { target: { newId: "c" } }))).ended;
    const read = await world.provider.getConversation("c");
    const version = (read.success && read.data?.metadata?.version) || 0;
    const service = createTestService({ ...world, log: losingBegins(world.log) }, model, { leaseSeconds: 1 });
    const target = { conversationId: "c" };
    const turn = await begin(service, ask("What?", { target, edit: { position: 0, version } }));
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual(["What?", "Two."]);
  }, 30_000);

  test("is stopped without a reply if it is refused because the conversation has changed", async () => {
    const world = createWorld();
    const made = createTestService(world, createScriptedModel(["One."]));
    await (await begin(made, ask("Who?", { target: { newId: "c" } }))).ended;
    let isCut = false;
    const log: TurnLog = {
      ...losingBegins(world.log, async () => {
        isCut = true;
        await world.provider.appendMessages("c", [{ role: "user", content: "From elsewhere." }]);
      }),
      read: async (query) => (isCut ? unreachable() : world.log.read(query)),
    };
    const model = createScriptedModel([]);
    const service = createTestService({ ...world, log }, model, {
      leaseSeconds: 1,
      config: {
        modelProvider: model,
        memory: { provider: world.provider, autoStore: true, durability: "completed" },
      },
    });
    const started = await service.start(ask("And?", { target: { conversationId: "c" } }));
    expect(started).toMatchObject({ started: false, refusal: { reason: "changed", retryable: false } });
    isCut = false;
    await expect
      .poll(
        async () => {
          const [turn] = await world.log.turnsOf("c").then((turns) => (turns.success ? turns.data : []));
          return turn?.state;
        },
        { timeout: 10_000 },
      )
      .toBe("ended");
    expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual([
      ...["Who?", "One.", "From elsewhere."],
    ]);
    model.assertDone();
  }, 30_000);
});

describe("While a turn begins", () => {
  test("a drain hands it over without losing its message", async () => {
    const world = createWorld();
    let reached = () => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const log: TurnLog = {
      ...world.log,
      begin: async (turn) => {
        reached();
        await isAnswered;
        return world.log.begin(turn);
      },
    };
    const { model: pausing } = createPausingModel(["Hel"]);
    const first = createTestService({ ...world, log }, pausing, {
      leaseSeconds: 60,
      config: {
        modelProvider: pausing,
        memory: { provider: world.provider, autoStore: true, durability: "completed" },
      },
    });
    const beginning = begin(first, ask("Hi.", { target: { newId: "c" } }));
    await isReached;
    const drained = first.drain({ timeoutMs: 1 });
    setTimeout(answer, 200);
    expect(await drained).toEqual({ handedOver: 1 });
    const turn = await beginning;
    const model = createScriptedModel(["Hello."]);
    const service = createTestService(world, model, { leaseSeconds: 60, recoverMs: 50 });
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "completed" });
    expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual(["Hi.", "Hello."]);
    model.assertDone();
  }, 30_000);
});
