import { PGlite } from "@electric-sql/pglite";
import type { TurnLog } from "@jaf/memory";
import { describeTurnLogConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createPostgresProvider, createPostgresTurnLog } from "../../src/index.ts";
import { dropSchemas, freshSchema, runSql } from "../support/stores.ts";
import { append, dataOf, END, eventsOf, newTurn } from "../support/turn-log.ts";
import { expectAnswersAsInMemory } from "../support/turn-log-reference.ts";
import { createTurnLogStores } from "../support/turn-log-stores.ts";

const schemas: string[] = [];
let pglite: Promise<PGlite> | undefined;

afterAll(async () => {
  await (await pglite)?.close();
  await dropSchemas(schemas);
});

const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

async function openSerializable(schema: string) {
  const client = new pg.Client({
    connectionString: inject("pgUrl"),
    options: "-c default_transaction_isolation=serializable",
  });
  await client.connect();
  return { log: await createPostgresTurnLog({ schema }, client), end: () => client.end() };
}

function openedPglite(): Promise<PGlite> {
  pglite ??= PGlite.create();
  return pglite;
}

async function openPglite(schema: string) {
  const client = await openedPglite();
  const provider = await createPostgresProvider({ schema }, client);
  return { log: await createPostgresTurnLog({ schema }, client), provider };
}

describeTurnLogConformance({
  name: "postgres, clients with serializable transactions by default",
  createLog: createTurnLogStores({ freshSchema: schemaOf, open: openSerializable, runSql }),
});

describeTurnLogConformance({
  name: "PGlite",
  createLog: createTurnLogStores({
    freshSchema,
    open: openPglite,
    runSql: async (sql) => (await openedPglite()).query(sql),
  }),
});

describe("a turn log on clients with serializable transactions by default", () => {
  it.each([1, 2, 3, 4, 5])(
    "answers random calls like the one in memory, with seed %i",
    async (seed) => {
      const { log, end } = await openSerializable(schemaOf());
      await expectAnswersAsInMemory(log, seed);
      await end();
    },
    60_000,
  );

  it("has at most one open turn while eight begin and end turns, and loses no event", async () => {
    const schema = schemaOf();
    const opened = await Promise.all(Array.from({ length: 8 }, () => openSerializable(schema)));
    const logs = opened.map(({ log }) => log);
    const conversationId = "c";
    let ended = 0;
    const work = async (log: TurnLog) => {
      for (let round = 0; round < 20; round++) {
        const begun = dataOf(await log.begin(newTurn({ conversationId })));
        if (!begun.begun) continue;
        const { writer } = begun;
        for (let first = 0; first < 3; first++) await append(log, { writer, first, events: [`${first}`] });
        const answer = await append(log, {
          writer,
          first: 3,
          events: ["3"],
          end: { ...END, state: "waiting" },
        });
        expect(answer).toMatchObject({ held: true });
        ended += 1;
      }
    };
    await Promise.all(logs.map(work));
    const [log] = logs as [TurnLog];
    const turns = dataOf(await log.turnsOf(conversationId, 1_000));
    expect(turns.map(({ state }) => state)).toEqual(["waiting", ...turns.slice(1).map(() => "ended")]);
    expect(turns).toHaveLength(ended);
    expect(await eventsOf(log, conversationId)).toEqual(["0", "1", "2", "3"]);
    await Promise.all(opened.map(({ end }) => end()));
  }, 60_000);
});

describe("a turn log on PGlite", () => {
  it.each([1, 2, 3, 4, 5])(
    "answers random calls like the one in memory, with seed %i",
    async (seed) => {
      const { log } = await openPglite(freshSchema());
      await expectAnswersAsInMemory(log, seed);
    },
    60_000,
  );
});
