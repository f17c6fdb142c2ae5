import type { TurnLog } from "@jaf/memory";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { startCutProxy } from "../../../../test/cut-proxy.ts";
import { createPostgresTurnLog } from "../../src/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";
import { append, beginTurn, dataOf, END, eventsOf, newTurn } from "../support/turn-log.ts";

const schema = freshSchema();
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
const serializablePool = new pg.Pool({
  connectionString: inject("pgUrl"),
  max: 10,
  options: "-c default_transaction_isolation=serializable",
});
let log: TurnLog;
let serializableLog: TurnLog;

beforeAll(async () => {
  log = await createPostgresTurnLog({ schema }, pool);
  serializableLog = await createPostgresTurnLog({ schema }, serializablePool);
});

afterAll(async () => {
  await Promise.all([pool.end(), serializablePool.end()]);
  await dropSchemas([schema]);
});

const fresh = (name: string): string => `${name} ${crypto.randomUUID()}`;

const turnsOf = async (conversationId: string): Promise<readonly Record<string, unknown>[]> => {
  const query = `SELECT turn.* FROM "${schema}".conversations_turns AS turn WHERE conversation_id = $1`;
  return (await useClient((client) => client.query(query, [conversationId]))).rows;
};

const storedEvents = async (conversationId: string): Promise<readonly string[]> => {
  const query = `SELECT text FROM "${schema}".conversations_turn_events, unnest(texts) WITH ORDINALITY AS one (text, nth)
    WHERE conversation_id = $1 ORDER BY turn_id, first, nth`;
  const { rows } = await useClient((client) => client.query(query, [conversationId]));
  return rows.map(({ text }) => String(text));
};

/** Lets this much time pass for the turns of a conversation. */
const age = (conversationId: string, seconds: number) =>
  useClient((client) =>
    client.query(
      `UPDATE "${schema}".conversations_turns SET lease_ends_at = lease_ends_at - $2 * interval '1 second',
        events_expire_at = events_expire_at - $2 * interval '1 second', due_at = due_at - $2 * interval '1 second',
        expires_at = expires_at - $2 * interval '1 second' WHERE conversation_id = $1`,
      [conversationId, seconds],
    ),
  );

describe.each([
  ["read committed", () => log],
  ["serializable", () => serializableLog],
] as const)("a turn log in Postgres, by default %s", (_, logOf) => {
  it("lets one of eight concurrent beginnings win, and shows its turn to the others", async () => {
    for (let round = 0; round < 10; round++) {
      const conversationId = fresh("c");
      const begun = await Promise.all(
        Array.from({ length: 8 }, async () => dataOf(await logOf().begin(newTurn({ conversationId })))),
      );
      const winners = begun.flatMap((one) => (one.begun ? [one.writer.turnId] : []));
      const seen = begun.flatMap((one) => (one.begun ? [] : [one.running.turnId]));
      expect(winners).toHaveLength(1);
      expect(new Set(seen)).toEqual(new Set(winners));
    }
  });

  it("begins a turn once if eight begin with the same id", async () => {
    for (let round = 0; round < 10; round++) {
      const turn = newTurn({ conversationId: fresh("c") });
      const begun = await Promise.all(
        Array.from({ length: 8 }, async () => dataOf(await logOf().begin(turn))),
      );
      expect(begun.filter((one) => one.begun)).toHaveLength(1);
    }
  });

  it("has at most one open turn while eight begin and end turns", async () => {
    const conversationId = fresh("c");
    const work = async () => {
      for (let round = 0; round < 10; round++) {
        const begun = dataOf(await logOf().begin(newTurn({ conversationId })));
        if (!begun.begun) continue;
        const end = { ...END, state: "waiting" } as const;
        expect(await append(logOf(), { writer: begun.writer, first: 0, events: ["1"], end })).toMatchObject({
          held: true,
        });
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    const turns = dataOf(await logOf().turnsOf(conversationId));
    expect(turns.map(({ state }) => state)).toEqual(["waiting", ...turns.slice(1).map(() => "ended")]);
  });

  it("lets one of eight take over", async () => {
    const { writer } = await beginTurn(logOf(), { conversationId: fresh("c") });
    await age(writer.conversationId, 61);
    const taken = await Promise.all(
      Array.from({ length: 8 }, async () => dataOf(await logOf().takeOver(writer))),
    );
    expect(taken.filter((one) => one !== null)).toHaveLength(1);
    expect(await append(logOf(), { writer, first: 0, events: ["1"] })).toEqual({ held: false });
  });

  it("stores an append once if eight send it at the same time", async () => {
    const { writer } = await beginTurn(logOf(), { conversationId: fresh("c") });
    for (let first = 0; first < 30; first += 3) {
      const events = [0, 1, 2].map((at) => String(first + at));
      const appends = Array.from({ length: 8 }, () => append(logOf(), { writer, first, events }));
      expect(await Promise.all(appends)).toEqual(appends.map(() => ({ held: true, stopRequested: false })));
    }
    expect(await eventsOf(logOf(), writer.conversationId)).toEqual(
      Array.from({ length: 30 }, (_, at) => `${at}`),
    );
  });

  it("adds the new events to a partly stored append", async () => {
    const { writer } = await beginTurn(logOf(), { conversationId: fresh("c") });
    await append(logOf(), { writer, first: 0, events: ["0", "1"] });
    await append(logOf(), { writer, first: 1, events: ["1", "2", "3"] });
    expect(await eventsOf(logOf(), writer.conversationId)).toEqual(["0", "1", "2", "3"]);
    expect(dataOf(await logOf().read({ ...writer, from: 1, limit: 2 }))?.events).toEqual(["1", "2"]);
    expect(dataOf(await logOf().read({ ...writer, from: 3 }))?.events).toEqual(["3"]);
    expect(dataOf(await logOf().read({ ...writer, from: 4 }))?.events).toEqual([]);
  });

  it("ends turns that expired without an end when a turn begins, even with the same id", async () => {
    const { writer } = await beginTurn(logOf(), { conversationId: fresh("c"), turnId: "t" });
    await append(logOf(), { writer, first: 0, events: ["old"] });
    await age(writer.conversationId, 4_000);
    expect(dataOf(await logOf().read(writer))).toBeNull();
    expect(dataOf(await logOf().takeOver(writer))).toBeNull();
    expect(dataOf(await logOf().abandoned(1_000))).toEqual([]);
    const next = await beginTurn(logOf(), { conversationId: writer.conversationId, turnId: "t" });
    await append(logOf(), { ...next, first: 0, events: ["new"] });
    expect(await storedEvents(writer.conversationId)).toEqual(["new"]);
  });
});

describe("concurrent appends of many turns", () => {
  const STREAMS = 100;

  it("are sent together, and each stream gets its own events in order", async () => {
    const statements: string[] = [];
    const watched = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
    onTestFinished(() => watched.end());
    const query = watched.query.bind(watched) as (query: pg.QueryConfig) => Promise<pg.QueryResult>;
    Object.assign(watched, {
      query: (statement: pg.QueryConfig) => {
        statements.push(statement.text);
        return query(statement);
      },
    });
    const other = await createPostgresTurnLog({ schema }, watched);
    const writers = await Promise.all(
      Array.from({ length: STREAMS }, async () => {
        const { writer } = await beginTurn(other, { conversationId: fresh("stream") });
        return writer;
      }),
    );
    statements.length = 0;
    await Promise.all(
      writers.map(async (writer) => {
        for (let first = 0; first < 5; first++) {
          const events = [`${writer.turnId} ${first}`];
          const end = first === 4 ? { end: END } : {};
          expect(await append(other, { writer, first, events, ...end })).toMatchObject({ held: true });
        }
      }),
    );
    expect(statements.length).toBeLessThan(STREAMS);
    for (const { conversationId, turnId } of writers) {
      expect(await eventsOf(other, conversationId)).toEqual([0, 1, 2, 3, 4].map((at) => `${turnId} ${at}`));
    }
  });

  it("do not wait for a locked turn", async () => {
    const writers = await Promise.all(
      Array.from({ length: 40 }, async () => (await beginTurn(log, { conversationId: fresh("c") })).writer),
    );
    const [locked, ...others] = writers;
    await useClient(async (client) => {
      await client.query("BEGIN");
      await client.query(
        `SELECT FROM "${schema}".conversations_turns WHERE conversation_id = $1 FOR UPDATE`,
        [locked?.conversationId],
      );
      const appends = writers.map((writer) => append(log, { writer, first: 0, events: ["1"] }));
      const [waiting] = appends;
      await Promise.all(appends.slice(1));
      for (const { conversationId } of others) expect(await eventsOf(log, conversationId)).toEqual(["1"]);
      expect(await storedEvents(locked?.conversationId ?? "")).toEqual([]);
      await client.query("COMMIT");
      expect(await waiting).toMatchObject({ held: true });
    });
  });

  it("get separate answers: a lost turn, a gap, a requested stop", async () => {
    const writers = await Promise.all(
      Array.from({ length: 30 }, async () => (await beginTurn(log, { conversationId: fresh("c") })).writer),
    );
    for (const writer of writers.slice(0, 20)) await log.requestStop(writer);
    const answers = await Promise.all(
      writers.map((writer, at) => {
        if (at % 3 === 0) return log.append({ writer, first: 0, events: ["1"] });
        if (at % 3 === 1)
          return log.append({ writer: { ...writer, token: "another" }, first: 0, events: ["1"] });
        return log.append({ writer, first: 1, events: ["1"] });
      }),
    );
    for (const [at, answer] of answers.entries()) {
      if (at % 3 === 0) expect(dataOf(answer)).toEqual({ held: true, stopRequested: at < 20 });
      else if (at % 3 === 1) expect(dataOf(answer)).toEqual({ held: false });
      else expect(answer).toMatchObject({ success: false, error: { _tag: "MemoryConflictError" } });
    }
  });

  it("store nothing if the backend is killed in the middle, and everything once if resent", async () => {
    const { writer } = await beginTurn(log, { conversationId: fresh("c") });
    const events = Array.from({ length: 100 }, (_, at) => String(at));
    const other = new pg.Pool({ connectionString: inject("pgUrl"), max: 1 });
    onTestFinished(() => other.end());
    other.on("error", () => {});
    const breaking = await createPostgresTurnLog({ schema }, other);
    const { rows } = await other.query("SELECT pg_backend_pid() AS pid");
    const pid: number = rows[0].pid;
    await useClient(async (client) => {
      await client.query("BEGIN");
      await client.query(`SELECT FROM "${schema}".conversations_turns WHERE turn_id = $1 FOR UPDATE`, [
        writer.turnId,
      ]);
      const sent = breaking.append({ writer, first: 0, events });
      await expect
        .poll(async () => (await runSql(`SELECT cardinality(pg_blocking_pids(${pid})) AS by`)).rows[0].by)
        .toBe(1);
      await runSql(`SELECT pg_terminate_backend(${pid})`);
      expect(await sent).toMatchObject({ success: false, error: { _tag: "MemoryConnectionError" } });
      await client.query("COMMIT");
    });
    expect(await storedEvents(writer.conversationId)).toEqual([]);
    for (let count = 0; count < 2; count++) await append(breaking, { writer, first: 0, events });
    expect(await storedEvents(writer.conversationId)).toEqual(events);
  });

  it("store nothing twice if the connection breaks anywhere and they are resent", async () => {
    const { writer } = await beginTurn(log, { conversationId: fresh("c") });
    let first = 0;
    for (let round = 0; round < 6; round++) {
      const other = new pg.Pool({ connectionString: inject("pgUrl"), max: 1 });
      other.on("error", () => {});
      const breaking = await createPostgresTurnLog({ schema }, other);
      const { rows } = await other.query("SELECT pg_backend_pid() AS pid");
      const events = Array.from({ length: 500 }, (_, at) => `${first + at} ${"x".repeat(200)}`);
      const sent = breaking.append({ writer, first, events });
      await new Promise((resolve) => setTimeout(resolve, 2 * round));
      await runSql(`SELECT pg_terminate_backend(${rows[0].pid})`);
      const answer = await sent;
      if (!answer.success) expect(answer.error._tag).toBe("MemoryConnectionError");
      expect(await append(log, { writer, first, events })).toMatchObject({ held: true });
      first += events.length;
      await other.end();
    }
    const numbers = (await storedEvents(writer.conversationId)).map((text) => Number(text.split(" ")[0]));
    expect(numbers).toEqual(Array.from({ length: first }, (_, at) => at));
  });
});

describe("leftovers", () => {
  it("don't exist after a deletion, even while eight append", async () => {
    const userId = fresh("u");
    for (let round = 0; round < 5; round++) {
      const writers = await Promise.all(
        Array.from(
          { length: 8 },
          async () => (await beginTurn(log, { conversationId: fresh("c"), userId })).writer,
        ),
      );
      const write = async (writer: (typeof writers)[number]) => {
        for (let first = 0; ; first++) {
          const answer = await append(log, { writer, first, events: ["an event"] });
          if (!answer.held) return;
        }
      };
      const writing = writers.map(write);
      const [one] = writers;
      expect(dataOf(await log.deleteConversation(one?.conversationId ?? ""))).toBe(1);
      expect(dataOf(await log.deleteUser(userId))).toBe(7);
      await Promise.all(writing);
      for (const { conversationId } of writers) {
        expect([await turnsOf(conversationId), await storedEvents(conversationId)]).toEqual([[], []]);
      }
    }
  });

  it("are the record after the events have expired, and nothing in the end", async () => {
    const { writer } = await beginTurn(log, { conversationId: fresh("c") });
    const { conversationId } = writer;
    await append(log, { writer, first: 0, events: ["1", "2"], end: END });
    expect(await turnsOf(conversationId)).toMatchObject([{ request: null, record: "the record" }]);
    await age(conversationId, 61);
    expect(dataOf(await log.read({ conversationId }))).toMatchObject({ turn: { events: 2 }, events: [] });
    await beginTurn(log, { conversationId: fresh("another") });
    expect(await storedEvents(conversationId)).toEqual([]);
    expect(dataOf(await log.turnsOf(conversationId))).toMatchObject([{ record: "the record" }]);
    await age(conversationId, 61);
    expect(dataOf(await log.turnsOf(conversationId))).toEqual([]);
    await beginTurn(log, { conversationId: fresh("another") });
    expect(await turnsOf(conversationId)).toEqual([]);
  });

  it("are removed in parts, including abandoned turns, when a turn begins", async () => {
    const place = freshSchema();
    onTestFinished(async () => void (await dropSchemas([place])));
    const own = await createPostgresTurnLog({ schema: place }, pool);
    const count = async (): Promise<number> =>
      (await runSql(`SELECT count(*)::int AS turns FROM "${place}".conversations_turns`)).rows[0].turns;
    for (let at = 0; at < 15; at++) {
      const { writer } = await beginTurn(own, { conversationId: `ended ${at}` });
      await append(own, { writer, first: 0, events: ["1"], end: END });
      await beginTurn(own, { conversationId: `left ${at}` });
    }
    await runSql(`UPDATE "${place}".conversations_turns SET lease_ends_at = '2020-01-01', due_at = '2020-01-01',
      expires_at = '2020-01-01'`);
    await beginTurn(own, { conversationId: "a" });
    expect(await count()).toBe(11);
    await beginTurn(own, { conversationId: "b" });
    expect(await count()).toBe(2);
    const { rows } = await runSql(`SELECT FROM "${place}".conversations_turn_events`);
    expect(rows).toEqual([]);
  });

  it("don't delay others: a turn begins beside an expired turn that is locked", async () => {
    const { writer } = await beginTurn(log, { conversationId: fresh("c") });
    await age(writer.conversationId, 4_000);
    await useClient(async (client) => {
      await client.query("BEGIN");
      await client.query(`SELECT FROM "${schema}".conversations_turns WHERE turn_id = $1 FOR UPDATE`, [
        writer.turnId,
      ]);
      await beginTurn(log, { conversationId: fresh("another") });
      await client.query("ROLLBACK");
    });
  });
});

describe("a turn log on a client", () => {
  it("is part of the application's transaction, and removes nothing in it", async () => {
    const { writer: expired } = await beginTurn(log, { conversationId: fresh("c") });
    await age(expired.conversationId, 4_000);
    const conversationId = fresh("c");
    await useClient(async (client) => {
      const own = await createPostgresTurnLog({ schema }, client);
      await client.query("BEGIN");
      await beginTurn(own, { conversationId });
      await client.query("ROLLBACK");
    });
    expect(await turnsOf(conversationId)).toEqual([]);
    expect(await turnsOf(expired.conversationId)).toHaveLength(1);
  });
});

describe("errors of a turn log", () => {
  it("are results that say what to do", async () => {
    const url = new URL(inject("pgUrl"));
    const proxy = await startCutProxy(Number(url.port), () => false);
    url.port = String(proxy.port);
    const reached = new pg.Pool({ connectionString: url.href, max: 2 });
    reached.on("error", () => {});
    const far = await createPostgresTurnLog({ schema }, reached);
    await proxy.stop();
    const answer = await far.turnsOf("c");
    expect(answer).toMatchObject({
      success: false,
      error: { _tag: "MemoryConnectionError", retryable: true },
    });
    await reached.end();
  });

  it("report that the log was closed, and the client stays open", async () => {
    const own = await createPostgresTurnLog({ schema }, pool);
    expect(await own.close()).toMatchObject({ success: true });
    expect(await own.turnsOf("c")).toMatchObject({
      success: false,
      error: { _tag: "MemoryConnectionError", retryable: false },
    });
    expect(dataOf(await log.turnsOf("c"))).toEqual([]);
  });
});
