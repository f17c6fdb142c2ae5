import { expect } from "vitest";
import { expectInvalid, expectOk } from "../fixtures/expectations.ts";
import { refusedIds, storableIds } from "../fixtures/hostile-ids.ts";
import { sleep } from "../fixtures/timing.ts";
import { append, begin, endedTurn, ending, eventsOf, newTurn, type TurnLogRules, turnT } from "./scenario.ts";

export const findingRules: TurnLogRules = {
  "finds a user's turns by their state, the latest first, and never another user's": async ({
    log,
    other,
  }) => {
    await begin(log, { conversationId: "r1" });
    await begin(other, { conversationId: "of v", userId: "v" });
    await begin(other, { conversationId: "r2" });
    await endedTurn(log, { conversationId: "w1" }, { state: "waiting" });
    await endedTurn(log, { conversationId: "v waits", userId: "v" }, { state: "waiting" });
    await endedTurn(log, { conversationId: "e1" });
    await begin(log, { conversationId: "r3" });
    const found = async (userId: string, state: "running" | "waiting", limit?: number) =>
      expectOk(await other.find({ userId, state }, limit)).map(({ conversationId }) => conversationId);
    expect(await found("u", "running")).toEqual(["r3", "r2", "r1"]);
    expect(await found("u", "running", 2)).toEqual(["r3", "r2"]);
    expect(await found("u", "waiting")).toEqual(["w1"]);
    expect(await found("v", "running")).toEqual(["of v"]);
    expect(await found("v", "waiting")).toEqual(["v waits"]);
    expect(await found("U", "running")).toEqual([]);
  },
  "lists running turns with an expired lease, the longest first": async ({ log, other }) => {
    const released = ["b", "c", "a"];
    for (const conversationId of [...released, "runs"]) await begin(log, { conversationId });
    await endedTurn(log, { conversationId: "ended" });
    await endedTurn(log, { conversationId: "waits" }, { state: "waiting" });
    for (const conversationId of released) {
      const again = await begin(log, { conversationId: `${conversationId}2` });
      expectOk(await log.release(again));
      await sleep(20);
    }
    const listed = async (limit?: number) =>
      expectOk(await other.abandoned(limit)).map(({ conversationId }) => conversationId);
    expect(await listed()).toEqual(["b2", "c2", "a2"]);
    expect(await listed(2)).toEqual(["b2", "c2"]);
    expectOk(await other.takeOver({ conversationId: "b2", turnId: "t" }));
    expect(await listed(10)).toEqual(["c2", "a2"]);
  },
  "keeps hostile ids apart": async ({ log, other }) => {
    const idsOf = (id: string) => ({ conversationId: id, userId: id, turnId: id });
    for (const id of storableIds) {
      const writer = await begin(log, idsOf(id));
      await append(log, writer, { events: [id] });
    }
    for (const id of storableIds) {
      expect(await eventsOf(other, id, id), id).toEqual([id]);
      const found = expectOk(await other.find({ userId: id, state: "running" }));
      expect(found, id).toMatchObject([idsOf(id)]);
    }
    expect(expectOk(await log.deleteUser("*"))).toBe(1);
    expect(expectOk(await log.deleteConversation("%"))).toBe(1);
    for (const id of storableIds) {
      const isErased = id === "*" || id === "%";
      expect(await eventsOf(other, id, id), id).toEqual(isErased ? undefined : [id]);
    }
  },
  "keeps hostile ids of turns of one conversation apart": async ({ log, other }) => {
    for (const turnId of storableIds) {
      const writer = await begin(log, { turnId });
      await append(log, writer, { events: [turnId], end: ending() });
    }
    for (const turnId of storableIds) expect(await eventsOf(other, turnId), turnId).toEqual([turnId]);
  },
};

const writer = { ...turnT, token: "x" };
const NO_TEXTS: readonly unknown[] = ["a\0", "\ud800", 5, null, undefined, {}];
const NO_COUNTS: readonly unknown[] = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null];

export const refusalRules: TurnLogRules = {
  "refuses invalid ids": async ({ log }) => {
    for (const id of refusedIds as readonly string[]) {
      for (const name of ["conversationId", "userId", "turnId"] as const)
        await expectInvalid(() => log.begin(newTurn({ [name]: id })), name);
      await expectInvalid(() => log.append({ writer: { ...writer, turnId: id }, first: 0, events: ["a"] }));
      await expectInvalid(() => log.renew({ ...writer, token: id }));
      await expectInvalid(() => log.release({ ...writer, conversationId: id }));
      await expectInvalid(() => log.takeOver({ ...turnT, turnId: id }));
      await expectInvalid(() => log.requestStop({ ...turnT, conversationId: id }));
      await expectInvalid(() => log.read({ conversationId: id }));
      await expectInvalid(() => log.readAll([turnT, { ...turnT, turnId: id }]));
      await expectInvalid(() => log.turnsOf(id));
      await expectInvalid(() => log.find({ userId: id, state: "running" }), "userId");
      await expectInvalid(() => log.deleteConversation(id), "conversationId");
      await expectInvalid(() => log.deleteUser(id), "userId");
    }
  },
  "refuses texts that not every store can hold": async ({ log }) => {
    const running = await begin(log, { conversationId: "runs" });
    for (const text of NO_TEXTS as readonly string[]) {
      await expectInvalid(() => log.begin(newTurn({ request: text })), "request");
      await expectInvalid(() => log.append({ writer: running, first: 0, events: ["a", text] }));
      const end = { ...ending(), record: text };
      await expectInvalid(() => log.append({ writer: running, first: 0, events: ["a"], end }));
    }
    expect(await eventsOf(log, "t", "runs")).toEqual([]);
    expect(expectOk(await log.read(turnT))).toBeNull();
  },
  "refuses numbers out of range, and appends of nothing": async ({ log }) => {
    for (const number of NO_COUNTS as readonly number[]) {
      for (const name of ["leaseSeconds", "keepSeconds"] as const)
        await expectInvalid(() => log.begin(newTurn({ [name]: number })), name);
      for (const name of ["eventSeconds", "recordSeconds"] as const) {
        const end = ending({ [name]: number });
        await expectInvalid(() => log.append({ writer, first: 0, events: [], end }));
      }
      await expectInvalid(() => log.append({ writer, first: number, events: ["a"] }), "first");
      await expectInvalid(() => log.read({ ...turnT, from: number }), "from");
      await expectInvalid(() => log.read({ ...turnT, limit: number }), "limit");
      await expectInvalid(() => log.turnsOf("c", number), "limit");
      await expectInvalid(() => log.find({ userId: "u", state: "running" }, number), "limit");
      await expectInvalid(() => log.abandoned(number), "limit");
    }
    await expectInvalid(() => log.abandoned(0), "limit");
    await expectInvalid(() => log.append({ writer, first: 0, events: [] }), "events");
    for (const events of [undefined, null, "a", { length: 1 }] as unknown as string[][])
      await expectInvalid(() => log.append({ writer, first: 0, events }), "events");
    const end = ending({ eventSeconds: 2, recordSeconds: 1 });
    await expectInvalid(() => log.append({ writer, first: 0, events: [], end }));
    await expectInvalid(() => log.find({ userId: "u", state: "ended" as "waiting" }), "state");
  },
};
