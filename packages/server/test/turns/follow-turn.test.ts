import { createFailure, createMemoryConnectionError, type TurnLog } from "@jaf/memory";
import type { EventQuery } from "@jaf/memory/adapter";
import { describe, expect, test } from "vitest";
import { encodeEvent } from "../../src/turns/encoded-event.ts";
import type { EventPoller } from "../../src/turns/event-poller.ts";
import { followTurn } from "../../src/turns/follow-turn.ts";
import { createRecentEvents, type RecentEvents } from "../../src/turns/recent-events.ts";
import {
  ask,
  begin,
  createPausingModel,
  createTestService,
  createWorld,
  eventsOf,
} from "../support/turn-fixtures.ts";

const piece = (text: string) => encodeEvent({ type: "text", text });

describe("A reader", () => {
  test("gets events from the log that are no longer in memory if it is slow", () => {
    const stored = createRecentEvents(0);
    for (let n = 0; n < 5_000; n++) stored.add(n, [piece(`${n}`)]);
    expect(stored.from(0)).toBe("elsewhere");
    const late = stored.from(4_990);
    expect(late === "elsewhere" ? [] : late.map(({ number }) => number)).toEqual(
      Array.from({ length: 10 }, (_, n) => 4_990 + n),
    );
    const kept = Array.from({ length: 5_000 }, (_, n) => n).filter((n) => stored.from(n) !== "elsewhere");
    expect(kept.length).toBeLessThanOrEqual(512);
    expect(stored.from(5_000)).toEqual([]);
    stored.close();
    expect(stored.from(5_000)).toBe("elsewhere");
  });

  test("keeps few large events in memory", () => {
    const stored = createRecentEvents(0);
    const large = piece("x".repeat(100_000));
    for (let n = 0; n < 50; n++) stored.add(n, [large]);
    const kept = Array.from({ length: 50 }, (_, n) => n).filter((n) => stored.from(n) !== "elsewhere");
    expect(kept.length).toBeLessThanOrEqual(6);
    expect(kept.at(-1)).toBe(49);
  });

  test("doesn't end the turn by leaving, and a turn needs no reader", async () => {
    const world = createWorld();
    const { model, go } = createPausingModel(["One "], ["two."]);
    const service = createTestService(world, model);
    const turn = await begin(service, ask("Count."));
    const leaving = new AbortController();
    const query = {
      conversationId: turn.conversationId,
      turnId: turn.turnId,
      from: 0,
      signal: leaving.signal,
    };
    for await (const group of service.follow(query)) {
      expect(group[0]?.number).toBe(0);
      leaving.abort();
    }
    go();
    expect((await turn.ended).status).toBe("completed");
  });

  test("of another process shares its reads with all others and survives a short failure", async () => {
    const world = createWorld();
    const asked: number[] = [];
    let calls = 0;
    const log: TurnLog = {
      ...world.log,
      readAll: async (queries: readonly EventQuery[]) => {
        calls += 1;
        asked.push(queries.length);
        return calls % 4 === 2
          ? createFailure(createMemoryConnectionError("test"))
          : world.log.readAll(queries);
      },
    };
    const { model, go } = createPausingModel(["One "], ["two."]);
    const service = createTestService(world, model);
    const other = createTestService({ ...world, log }, model);
    const turn = await begin(service, ask("Count."));
    const readers = Array.from({ length: 40 }, () => eventsOf(other, turn));
    await expect.poll(() => calls).toBeGreaterThan(4);
    go();
    const all = await Promise.all(readers);
    for (const events of all) expect(events).toEqual(all[0]);
    expect(all[0]?.at(-1)?.event.type).toBe("turn_end");
    expect(Math.max(...asked)).toBe(40);
  });

  test("of another process sees a turn that has no reader in its own process before its end", async () => {
    const world = createWorld();
    const { model, go } = createPausingModel(["One "], ["two."]);
    const turn = await begin(createTestService(world, model), ask("Count."));
    const seen: string[] = [];
    const other = createTestService(world, model);
    const { signal } = new AbortController();
    for await (const group of other.follow({ ...turn, from: 0, signal })) {
      for (const { event } of group) seen.push(event.type === "text" ? event.text : event.type);
      if (seen.includes("One ")) go();
    }
    expect(seen.filter((type) => type !== "context" && type !== "model_call")).toEqual([
      ...["turn_start", "One ", "two.", "message", "turn_end"],
    ]);
  });

  test("gets the start of a turn before it is stored", async () => {
    const world = createWorld();
    const log: TurnLog = { ...world.log, append: () => new Promise(() => {}) };
    const service = createTestService({ ...world, log }, createPausingModel([]).model);
    const turn = await begin(service, ask("Count."));
    const leaving = new AbortController();
    for await (const [first] of service.follow({ ...turn, from: 0, signal: leaving.signal })) {
      expect(first).toMatchObject({ number: 0, event: { type: "turn_start", turnId: turn.turnId } });
      leaving.abort();
    }
  });

  test("that waits for the end gets all events then, and the turn is stored in one append", async () => {
    const world = createWorld();
    let appends = 0;
    const log: TurnLog = {
      ...world.log,
      append: (events) => {
        appends += 1;
        return world.log.append(events);
      },
    };
    const { model, go } = createPausingModel(["One "], ["two."]);
    const service = createTestService({ ...world, log }, model, { heartbeatMs: 60_000, leaseSeconds: 300 });
    const turn = await begin(service, ask("Count."));
    const reading = eventsOf(service, { ...turn, afterEnd: true });
    go();
    const events = await reading;
    expect([events.at(0)?.event.type, events.at(-1)?.event.type]).toEqual(["turn_start", "turn_end"]);
    expect(appends).toBe(1);
  });

  test("gets nothing for a missing turn or an invalid id", async () => {
    const world = createWorld();
    const service = createTestService(world, createPausingModel([]).model);
    const none = { conversationId: "c", turnId: "t" };
    expect(await eventsOf(service, none)).toEqual([]);
    expect(await eventsOf(service, { ...none, conversationId: "" })).toEqual([]);
    expect(await eventsOf(service, none, -1)).toEqual([]);
    expect(await eventsOf(service, none, Number.NaN)).toEqual([]);
  });
});

describe("A reader in the turn's process", () => {
  const poller: EventPoller = { next: async () => undefined, close: () => {} };

  function follow(recent: RecentEvents) {
    const leaving = new AbortController();
    const query = { conversationId: "c", turnId: "t", from: 0, signal: leaving.signal };
    const events = followTurn({ poller, recentEventsOf: () => recent }, query);
    return { events, leave: () => leaving.abort() };
  }

  test("misses no event that is added at the moment when it begins to wait", async () => {
    let added = 0;
    const recent: RecentEvents = createRecentEvents(0, () => recent.add(added, [piece(`${added++}`)]));
    const { events, leave } = follow(recent);
    for (const n of [0, 1, 2]) {
      const { value } = await events.next();
      expect(value).toMatchObject([{ number: n, event: { text: `${n}` } }]);
    }
    leave();
  });

  test("gets all events in order that are added while it is busy with earlier ones", async () => {
    const recent = createRecentEvents(0);
    const { events } = follow(recent);
    const first = events.next();
    recent.add(0, [piece("0")]);
    expect((await first).value).toMatchObject([{ number: 0 }]);
    recent.add(1, [piece("1")]);
    recent.add(2, [piece("2"), piece("3")]);
    expect((await events.next()).value).toMatchObject([{ number: 1 }, { number: 2 }, { number: 3 }]);
  });

  test.each(["leaves", "loses the turn"])("ends while it waits if it %s", async (how) => {
    const recent = createRecentEvents(0);
    const { events, leave } = follow(recent);
    const waiting = events.next();
    if (how === "leaves") leave();
    else recent.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test.each(["leaves", "loses the turn"])(
    "ends if it %s at the moment when it begins to wait",
    async (how) => {
      const recent: RecentEvents = createRecentEvents(0, () => {
        if (how === "leaves") reader.leave();
        else recent.close();
      });
      const reader = follow(recent);
      expect(await reader.events.next()).toEqual({ done: true, value: undefined });
    },
  );

  test("that waits for the end ends at once if it has left before", async () => {
    const recent = createRecentEvents(0);
    const query = { conversationId: "c", turnId: "t", from: 0, afterEnd: true, signal: AbortSignal.abort() };
    const events = followTurn({ poller, recentEventsOf: () => recent }, query);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

describe("The pieces of a reply", () => {
  test("are stored in far fewer groups than they arrive in, one append at a time", async () => {
    const world = createWorld();
    let appends = 0;
    let underWay = 0;
    const log: TurnLog = {
      ...world.log,
      append: async (events) => {
        appends += 1;
        underWay += 1;
        expect(underWay).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        underWay -= 1;
        return world.log.append(events);
      },
    };
    const model = {
      getCompletion: async () => ({ message: { content: "" } }),
      getCompletionStream: async function* () {
        for (let n = 0; n < 100; n++) {
          await new Promise((resolve) => setTimeout(resolve, 2));
          yield { type: "text_delta" as const, text: `${n} ` };
        }
        yield { type: "done" as const };
      },
    };
    const service = createTestService({ ...world, log }, model);
    const turn = await begin(service, ask("Count."));
    const events = await eventsOf(service, turn);
    expect(events.flatMap(({ event }) => (event.type === "text" ? [event.text] : [])).join("")).toBe(
      Array.from({ length: 100 }, (_, n) => `${n} `).join(""),
    );
    expect(appends).toBeLessThan(60);
  });
});
