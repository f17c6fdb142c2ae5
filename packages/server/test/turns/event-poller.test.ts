import { createFailure, createMemoryStorageError, createSuccess, type TurnLog } from "@jaf/memory";
import type { EventPage, EventQuery } from "@jaf/memory/adapter";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEventPoller } from "../../src/turns/event-poller.ts";
import {
  ask,
  begin,
  createPausingModel,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
} from "../support/turn-fixtures.ts";

const pageOf = ({ conversationId, turnId = "" }: EventQuery): EventPage => ({
  turn: {
    ...{ conversationId, turnId, userId: "ada", state: "ended" },
    ...{ startedAt: new Date(), events: 1, stopRequested: false },
  },
  events: ["{}"],
});

const isBad = ({ conversationId }: EventQuery) => conversationId === "bad";

function pollerOn(bad: () => ReturnType<TurnLog["readAll"]>, giveUpMs: number) {
  const poller = createEventPoller({
    log: { readAll: async (queries) => (queries.some(isBad) ? bad() : createSuccess(queries.map(pageOf))) },
    ...{ pollMs: 5, giveUpMs, answerMs: 100 },
  });
  onTestFinished(() => poller.close());
  const { signal } = new AbortController();
  return (conversationId: string) => poller.next({ conversationId, turnId: "t", from: 0 }, signal);
}

describe("A read that", () => {
  test.each([
    [
      "fails temporarily",
      async () => createFailure(createMemoryStorageError("readAll", "test", { retryable: true })),
    ],
    ["fails permanently", async () => createFailure(createMemoryStorageError("readAll", "test"))],
    ["throws", () => Promise.reject(new Error("test"))],
    ["is never answered", () => new Promise<never>(() => {})],
  ])(
    "%s stops only its own reader",
    async (_how, bad) => {
      const next = pollerOn(bad, 400);
      const own = next("bad").then(
        () => "read",
        () => "failed",
      );
      const others = await Promise.all(["a", "b", "c"].map(next));
      expect(others.map((page) => page?.turn.conversationId)).toEqual(["a", "b", "c"]);
      // Also for a later reader.
      expect((await next("d"))?.turn.conversationId).toBe("d");
      expect(await own).toBe("failed");
    },
    10_000,
  );

  test("is never answered doesn't stop the search for abandoned turns", async () => {
    const world = createWorld();
    const first = createTestService(world, createPausingModel(["Hel"]).model, { leaseSeconds: 60 });
    const turn = await begin(first, ask("Hi."));
    await first.drain({ timeoutMs: 1 });
    let looks = 0;
    const log: TurnLog = {
      ...world.log,
      abandoned: (limit) => {
        looks += 1;
        return looks === 1 ? new Promise<never>(() => {}) : world.log.abandoned(limit);
      },
    };
    const model = createScriptedModel(["Hello."]);
    const service = createTestService({ ...world, log }, model, { leaseSeconds: 1, recoverMs: 20 });
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "completed" });
  }, 10_000);
});
