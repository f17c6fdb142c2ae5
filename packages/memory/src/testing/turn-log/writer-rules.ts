import { expect } from "vitest";
import { expectConflict, expectOk } from "../fixtures/expectations.ts";
import { sleep } from "../fixtures/timing.ts";
import {
  append,
  begin,
  endedTurn,
  eventsOf,
  HELD,
  LOST,
  newTurn,
  type TurnLogRules,
  turnT,
  until,
} from "./scenario.ts";

export const beginningRules: TurnLogRules = {
  "is empty at first": async ({ log }) => {
    const writer = { ...turnT, token: "x" };
    expect(expectOk(await log.read(turnT))).toBeNull();
    expect(expectOk(await log.read({ conversationId: "c" }))).toBeNull();
    expect(expectOk(await log.turnsOf("c"))).toEqual([]);
    expect(expectOk(await log.find({ userId: "u", state: "running" }))).toEqual([]);
    expect(expectOk(await log.abandoned(10))).toEqual([]);
    expect(expectOk(await log.takeOver(turnT))).toBeNull();
    expect(expectOk(await log.requestStop(turnT))).toBe(false);
    expect(await append(log, writer, { events: ["a"] })).toEqual(LOST);
    expect(expectOk(await log.renew(writer))).toEqual(LOST);
    expectOk(await log.release(writer));
    expect(expectOk(await log.deleteConversation("c"))).toBe(0);
    expect(expectOk(await log.deleteUser("u"))).toBe(0);
    expect(expectOk(await log.read(turnT))).toBeNull();
  },
  "begins a turn that all can see": async ({ log, other }) => {
    await begin(log);
    const page = expectOk(await other.read(turnT));
    expect(page).toEqual({
      turn: {
        ...turnT,
        userId: "u",
        state: "running",
        startedAt: expect.any(Date),
        events: 0,
        stopRequested: false,
      },
      events: [],
    });
    // The clock of the store may be different. So the test only checks that the time is within an hour of the clock of
    // this process.
    expect(Math.abs((page?.turn.startedAt.getTime() ?? 0) - Date.now())).toBeLessThan(3_600_000);
  },
  "refuses a turn while another runs, and returns that one": async ({ log, other }) => {
    const writer = await begin(log, { turnId: "first" });
    await append(log, writer, { events: ["a"] });
    for (const turnId of ["second", "first"]) {
      expect(expectOk(await other.begin(newTurn({ turnId, userId: "v" })))).toMatchObject({
        begun: false,
        running: { turnId: "first", userId: "u", state: "running", events: 1 },
      });
    }
    expect(expectOk(await log.turnsOf("c"))).toHaveLength(1);
    await begin(other, { conversationId: "d", turnId: "first" });
  },
  "refuses a turn even if the writer of the running one is gone": async ({ log, other }) => {
    const writer = await begin(log);
    expectOk(await log.release(writer));
    expect(expectOk(await other.begin(newTurn({ turnId: "t2" })))).toMatchObject({
      begun: false,
      running: { turnId: "t" },
    });
  },
  "lets one of eight begin": async ({ log, other }) => {
    const begun = await Promise.all(
      Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? log : other).begin(newTurn({ turnId: `t${at}` }))),
    );
    const turns = begun.map(expectOk);
    const winners = turns.flatMap((turn) => (turn.begun ? [turn.writer.turnId] : []));
    expect(winners).toHaveLength(1);
    for (const turn of turns) if (!turn.begun) expect(turn.running.turnId).toBe(winners[0]);
    expect(expectOk(await log.turnsOf("c")).map(({ turnId }) => turnId)).toEqual(winners);
  },
  "ends a turn that waits when the next begins": async ({ log, other }) => {
    await endedTurn(log, { turnId: "t1" }, { state: "waiting", record: "r" });
    expect(expectOk(await other.find({ userId: "u", state: "waiting" }))).toHaveLength(1);
    await begin(other, { turnId: "t2" });
    expect(expectOk(await log.find({ userId: "u", state: "waiting" }))).toEqual([]);
    expect(expectOk(await log.read({ conversationId: "c", turnId: "t1" }))).toMatchObject({
      turn: { state: "ended", record: "r" },
      events: ["0"],
    });
  },
  "refuses the id of an earlier turn": async ({ log, other }) => {
    await endedTurn(log);
    expectConflict(await other.begin(newTurn()), "lease");
    expect(await eventsOf(log)).toEqual(["0"]);
  },
};

export const writerRules: TurnLogRules = {
  "leaves a turn to its writer while the lease lasts": async ({ log, other }) => {
    const writer = await begin(log);
    expect(expectOk(await other.takeOver(turnT))).toBeNull();
    expect(await append(other, { ...writer, token: "another" }, { events: ["x"] })).toEqual(LOST);
    expect(expectOk(await other.renew({ ...writer, token: "another" }))).toEqual(LOST);
    expectOk(await other.release({ ...writer, token: "another" }));
    expect(expectOk(await other.takeOver(turnT))).toBeNull();
    expect(await append(log, writer, { events: ["a"] })).toEqual(HELD);
    expect(await eventsOf(log)).toEqual(["a"]);
  },
  "gives a released turn to one of eight, with all data to continue": async ({ log, other }) => {
    const old = await begin(log, { request: "the request" });
    await append(log, old, { events: ["a", "b"] });
    expectOk(await log.release(old));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? log : other).takeOver(turnT)),
    );
    const [taken, ...more] = answers.map(expectOk).filter((answer) => answer !== null);
    expect(more).toEqual([]);
    expect(taken).toMatchObject({
      writer: turnT,
      turn: { ...turnT, userId: "u", state: "running", events: 2 },
      request: "the request",
    });
    if (taken === undefined) return;
    expect(taken.writer.token).not.toBe(old.token);
    expect(await append(other, taken.writer, { first: 2, events: ["c"] })).toEqual(HELD);
  },
  "stores nothing of a writer after its turn was taken over": async ({ log, other }) => {
    const old = await begin(log);
    await append(log, old, { events: ["a"] });
    expectOk(await log.release(old));
    const taken = expectOk(await other.takeOver(turnT));
    expect(await append(log, old, { first: 1, events: ["lost"] })).toEqual(LOST);
    expect(await append(log, old, { first: 9, events: ["lost"] })).toEqual(LOST);
    expect(await append(log, old, { events: ["a"] })).toEqual(LOST);
    expect(expectOk(await log.renew(old))).toEqual(LOST);
    expectOk(await log.release(old));
    expect(expectOk(await log.takeOver(turnT))).toBeNull();
    expect(await eventsOf(other)).toEqual(["a"]);
    expect(taken && expectOk(await other.renew(taken.writer))).toEqual(HELD);
  },
  "ends a lease automatically": async ({ log, other }) => {
    const writer = await begin(log, { leaseSeconds: 1 });
    expect(expectOk(await other.find({ userId: "u", state: "running" }))).toHaveLength(1);
    await until("the lease ends", async () => expectOk(await other.takeOver(turnT)) !== null);
    expect(await append(log, writer, { events: ["lost"] })).toEqual(LOST);
  },
  "renews the lease by append and renew, even after its end if no other writer took over": async ({
    log,
    other,
  }) => {
    const [renewed, appended] = [{ ...turnT, conversationId: "r" }, turnT];
    const writer = await begin(log, renewed);
    expectOk(await log.release(writer));
    expect(expectOk(await log.renew(writer))).toEqual(HELD);
    const appending = await begin(log, appended);
    expectOk(await log.release(appending));
    expect(await append(log, appending, { events: ["a"] })).toEqual(HELD);
    for (const turn of [renewed, appended]) expect(expectOk(await other.takeOver(turn))).toBeNull();
    expect(expectOk(await other.abandoned(10))).toEqual([]);
  },
  "gives a new writer a lease of the same length": async ({ log, other }) => {
    const writer = await begin(log);
    expectOk(await log.release(writer));
    expect(expectOk(await other.takeOver(turnT))).not.toBeNull();
    await sleep(20);
    expect(expectOk(await log.takeOver(turnT))).toBeNull();
  },
  "reports a stop request to the writer, and to one that takes over": async ({ log, other }) => {
    const writer = await begin(log);
    expect(expectOk(await log.renew(writer))).toEqual(HELD);
    expect(expectOk(await other.requestStop(turnT))).toBe(true);
    expect(expectOk(await other.requestStop(turnT))).toBe(true);
    const told = { held: true, stopRequested: true };
    expect(await append(log, writer, { events: ["a"] })).toEqual(told);
    expect(expectOk(await log.renew(writer))).toEqual(told);
    expect(expectOk(await log.read(turnT))?.turn.stopRequested).toBe(true);
    expectOk(await log.release(writer));
    const taken = expectOk(await other.takeOver(turnT));
    expect(taken?.turn.stopRequested).toBe(true);
    expect(taken && expectOk(await other.renew(taken.writer))).toEqual(told);
  },
};
