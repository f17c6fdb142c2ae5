import { expect } from "vitest";
import { present } from "../../runtime/objects.ts";
import { expectConflict, expectOk } from "../fixtures/expectations.ts";
import { storableIds } from "../fixtures/hostile-ids.ts";
import { append, begin, endedTurn, ending, eventsOf, HELD, type TurnLogRules, turnT } from "./scenario.ts";

const MEGABYTE = 1_000_000;

export const eventRules: TurnLogRules = {
  "numbers events without gaps, and reads them in order": async ({ log, other }) => {
    const writer = await begin(log);
    expect(await append(log, writer, { events: ["a", "b"] })).toEqual(HELD);
    expect(await append(log, writer, { first: 2, events: ["c"] })).toEqual(HELD);
    expect(expectOk(await other.read(turnT))).toMatchObject({
      turn: { state: "running", events: 3 },
      events: ["a", "b", "c"],
    });
  },
  "stores an append once if its reply was lost": async ({ log, other }) => {
    const writer = await begin(log);
    await append(log, writer, { events: ["a", "b"] });
    expect(await append(other, writer, { events: ["a", "b"] })).toEqual(HELD);
    expect(await append(other, writer, { first: 1, events: ["b", "c"] })).toEqual(HELD);
    expect(await eventsOf(log)).toEqual(["a", "b", "c"]);
  },
  "stores an append once if it arrives eight times at the same time": async ({ log, other }) => {
    const writer = await begin(log);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        append(at % 2 === 0 ? log : other, writer, { events: ["a", "b"] }),
      ),
    );
    for (const answer of answers) expect(answer).toEqual(HELD);
    expect(await eventsOf(log)).toEqual(["a", "b"]);
  },
  "refuses a gap, and stores nothing of it": async ({ log, other }) => {
    const writer = await begin(log);
    await append(log, writer, { events: ["a"] });
    expectConflict(await other.append({ writer, first: 2, events: ["c"], end: ending() }), "lease");
    expect(expectOk(await log.read(turnT))).toMatchObject({
      turn: { state: "running", events: 1 },
      events: ["a"],
    });
  },
  "reads from a number, up to a limit": async ({ log, other }) => {
    const writer = await begin(log);
    await append(log, writer, { events: ["a", "b", "c", "d"] });
    const page = async (from: number, limit?: number) =>
      expectOk(await other.read({ ...turnT, from, ...present({ limit }) }))?.events;
    expect(await page(1, 2)).toEqual(["b", "c"]);
    expect(await page(3, 9)).toEqual(["d"]);
    expect([await page(4), await page(400, 1)]).toEqual([[], []]);
  },
  "keeps thousands of events, and reads a thousand by default": async ({ log, other }) => {
    const writer = await begin(log);
    const all = Array.from({ length: 5_000 }, (_, at) => `{"n":${at}}`);
    expect(await append(log, writer, { events: all.slice(0, 4_000) })).toEqual(HELD);
    expect(await append(log, writer, { first: 4_000, events: all.slice(4_000) })).toEqual(HELD);
    expect(expectOk(await other.read(turnT))?.events).toEqual(all.slice(0, 1_000));
    expect(expectOk(await other.read({ ...turnT, from: 1_500 }))?.events).toEqual(all.slice(1_500, 2_500));
    expect(await eventsOf(other)).toEqual(all);
  },
  "keeps events, requests and records of a megabyte": async ({ log, other }) => {
    const [event, request, record] = ["é", "r", "s"].map((letter) => letter.repeat(MEGABYTE));
    const writer = await begin(log, { request: request ?? "" });
    await append(log, writer, { events: [event ?? "", "b"] });
    expectOk(await log.release(writer));
    const taken = expectOk(await other.takeOver(turnT));
    expect(taken?.request === request).toBe(true);
    if (taken === null) return;
    await append(other, taken.writer, { first: 2, end: ending({ record: record ?? "" }) });
    const page = expectOk(await log.read(turnT));
    expect([page?.events[0] === event, page?.events[1], page?.turn.record === record]).toEqual([
      true,
      "b",
      true,
    ]);
  },
  "returns texts exactly": async ({ log, other }) => {
    const texts = [...storableIds, "", "\ufeffmarked", '{"a":"\\u0000\\ud800"}', "1.0", " [] "];
    const writer = await begin(log);
    await append(log, writer, { events: texts });
    expect(await eventsOf(other)).toEqual(texts);
    await append(log, writer, { first: texts.length, end: ending({ record: texts.join("|") }) });
    expect(expectOk(await other.read(turnT))?.turn.record).toBe(texts.join("|"));
  },
  "keeps the turns of a conversation apart, and reads the latest by default": async ({ log, other }) => {
    for (const turnId of ["b", "a", "c"]) {
      const writer = await begin(log, { turnId });
      await append(log, writer, { events: [`of ${turnId}`], end: ending({ record: turnId }) });
    }
    for (const turnId of ["a", "b", "c"]) expect(await eventsOf(other, turnId)).toEqual([`of ${turnId}`]);
    expect(expectOk(await other.read({ conversationId: "c" }))?.turn).toMatchObject({
      turnId: "c",
      record: "c",
    });
    const listed = async (limit?: number) =>
      expectOk(await other.turnsOf("c", limit)).map(({ turnId }) => turnId);
    expect([await listed(), await listed(2)]).toEqual([
      ["c", "a", "b"],
      ["c", "a"],
    ]);
  },
  "answers several queries in their order, with null for missing turns": async ({ log, other }) => {
    await endedTurn(log, { conversationId: "c1" });
    await endedTurn(log, { conversationId: "c2", turnId: "t2" });
    const pages = expectOk(
      await other.readAll([
        { conversationId: "c2" },
        { conversationId: "none" },
        { conversationId: "c1", turnId: "t2" },
        { conversationId: "c1", turnId: "t", from: 1 },
      ]),
    );
    expect(pages.map((page) => page && [page.turn.turnId, page.events])).toEqual([
      ["t2", ["0"]],
      null,
      null,
      ["t", []],
    ]);
    expect(expectOk(await other.readAll([]))).toEqual([]);
  },
};
