import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import {
  append,
  begin,
  endedTurn,
  ending,
  eventsOf,
  HELD,
  LOST,
  type TurnLogRules,
  turnT,
  until,
} from "./scenario.ts";

export const endingRules: TurnLogRules = {
  "ends a turn with its last events and its record": async ({ log, other }) => {
    for (const state of ["waiting", "ended"] as const) {
      const turn = { ...turnT, conversationId: state };
      const writer = await begin(log, turn);
      expect(await append(log, writer, { events: ["a"] })).toEqual(HELD);
      const end = ending({ state, record: `record ${state}` });
      expect(await append(log, writer, { first: 1, events: ["b"], end })).toEqual(HELD);
      expect(expectOk(await other.read(turn))).toMatchObject({
        turn: { state, events: 2, record: `record ${state}` },
        events: ["a", "b"],
      });
    }
  },
  "ends a turn without an event": async ({ log, other }) => {
    const writer = await begin(log);
    expect(await append(log, writer, { end: ending({ record: "" }) })).toEqual(HELD);
    expect(expectOk(await other.read(turnT))).toMatchObject({
      turn: { state: "ended", events: 0, record: "" },
      events: [],
    });
  },
  "refuses to write, stop or take over a turn that has ended": async ({ log, other }) => {
    for (const state of ["waiting", "ended"] as const) {
      const turn = { ...turnT, conversationId: state };
      const writer = await endedTurn(log, turn, { state });
      expect(await append(other, writer, { first: 1, events: ["lost"] })).toEqual(LOST);
      expect(await append(other, writer, { first: 1, events: ["lost"], end: ending() })).toEqual(LOST);
      expect(expectOk(await log.renew(writer))).toEqual(LOST);
      expectOk(await log.release(writer));
      expect(expectOk(await other.takeOver(turn))).toBeNull();
      expect(expectOk(await other.requestStop(turn))).toBe(false);
      expect(expectOk(await other.read(turn))).toMatchObject({ turn: { state, events: 1 }, events: ["0"] });
    }
    expect(expectOk(await other.abandoned(10))).toEqual([]);
  },
  "accepts a repeat of the last append after the end": async ({ log, other }) => {
    const writer = await begin(log);
    await append(log, writer, { events: ["a"] });
    const last = { first: 1, events: ["b"], end: ending({ state: "waiting", record: "r" }) };
    await append(log, writer, last);
    expect(await append(other, writer, last)).toEqual(HELD);
    expect(await append(other, { ...writer, token: "another" }, last)).toEqual(LOST);
    expect(expectOk(await log.read(turnT))).toMatchObject({
      turn: { state: "waiting", record: "r", events: 2 },
      events: ["a", "b"],
    });
  },
  "erases the request at the end": async ({ log, other, contents }) => {
    const writer = await begin(log, { request: "the secret request" });
    expect(await append(other, writer, { events: ["0"], end: ending({ state: "waiting" }) })).toEqual(HELD);
    expect(expectOk(await other.takeOver(turnT))).toBeNull();
    expect((await contents?.()) ?? "").not.toContain("the secret request");
  },
};

export const expiryRules: TurnLogRules = {
  "lets events expire before the turn": async ({ log, other }) => {
    await endedTurn(log, {}, { record: "r", eventSeconds: 1 });
    await until("the events expire", async () => (await eventsOf(other))?.length === 0);
    expect(expectOk(await log.read(turnT))).toMatchObject({
      turn: { state: "ended", record: "r", events: 1 },
      events: [],
    });
    expect(expectOk(await log.turnsOf("c"))).toHaveLength(1);
  },
  "lets a turn and its record expire": async ({ log, other }) => {
    await endedTurn(log, {}, { state: "waiting", eventSeconds: 1, recordSeconds: 1 });
    await endedTurn(log, { conversationId: "kept" });
    await until("the turn expires", async () => expectOk(await other.read(turnT)) === null);
    expect(expectOk(await log.turnsOf("c"))).toEqual([]);
    expect(expectOk(await log.find({ userId: "u", state: "waiting" }))).toEqual([]);
    expect(expectOk(await log.read({ conversationId: "c" }))).toBeNull();
    expect(await eventsOf(other, "t", "kept")).toEqual(["0"]);
    await begin(other);
    expect(await eventsOf(other)).toEqual([]);
  },
  "lets a turn expire that no writer continues": async ({ log, other }) => {
    const writer = await begin(log, { leaseSeconds: 1, keepSeconds: 1 });
    await until("the turn expires", async () => expectOk(await other.read(turnT)) === null);
    expect(await append(log, writer, { events: ["lost"] })).toEqual(LOST);
    expect(expectOk(await other.find({ userId: "u", state: "running" }))).toEqual([]);
    expect(expectOk(await other.abandoned(10))).toEqual([]);
    expect(expectOk(await other.takeOver(turnT))).toBeNull();
    await begin(other, { turnId: "t2" });
    expect(expectOk(await log.turnsOf("c")).map(({ turnId }) => turnId)).toEqual(["t2"]);
  },
};
